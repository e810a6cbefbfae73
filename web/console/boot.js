// boot.js - the only script inside the document, which runs before the first paint. It turns the markup of index.html
// into what main.js will draw, and main.js then takes over the same elements. People with a session see the shell,
// others the sign-in form, in their language and colors.
import texts from 'shell-texts';
import { addressOf, applyTheme, begin, chooseLanguage, chooseTheme, isBelow, maySession, pathNow } from './lib/first.js';
import { screenAt } from './screens/index.js';

const root = document.documentElement, app = document.getElementById('app');
const path = pathNow(), language = chooseLanguage(), theme = chooseTheme(), words = texts[language] ?? {};
const all = (selector) => app.querySelectorAll(selector);

root.lang = language;
applyTheme(theme);
app.querySelector(maySession() ? '.alone' : '.shell').remove();

const nodes = document.createTreeWalker(app, NodeFilter.SHOW_TEXT);
while (nodes.nextNode())
    nodes.currentNode.data = words[nodes.currentNode.data] ?? nodes.currentNode.data;
for (const nav of all('nav'))
    nav.ariaLabel = words[nav.ariaLabel] ?? nav.ariaLabel;

const heading = app.querySelector('.page h1'), links = [...all('nav a')];
const here = links.find((link) => isBelow(path, link.getAttribute('href').slice(addressOf('').length)));
here?.setAttribute('aria-current', 'page');
if (heading && path !== '/') {
    heading.nextElementSibling.remove();
    heading.textContent = here?.pathname === addressOf(path) ? here.textContent : '';
}
[...all('select')].forEach((select, i) => { select.value = i ? theme : language; });
root.dataset.ready = '';

// Fetches the modules after this paint; in a background tab, where nothing is painted, immediately.
const screen = maySession() && screenAt(path);
const beginAll = () => ['app', language !== 'en' && language, screen?.module].filter(Boolean).forEach(begin);
if (document.hidden || !PerformanceObserver.supportedEntryTypes.includes('paint'))
    beginAll();
else
    new PerformanceObserver(beginAll).observe({ type: 'paint', buffered: true });
document.addEventListener('visibilitychange', beginAll, { once: true });
