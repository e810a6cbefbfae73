// main.js - the console's frame: the session, the shell, and the current screen.
import { get, onProof, onReach } from './lib/api.js';
import { onSignedOut, restore, signOut, SignInError } from './lib/auth.js';
import { begin, chooseLanguage, chooseTheme, isBelow, keepLanguage, keepTheme, languages, maySession } from './lib/first.js';
import { html, pause, render, useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from './lib/html.js';
import { currentLanguage, prepare, setLanguage, t } from './lib/i18n.js';
import { load, moduleOf } from './lib/load.js';
import { Link, mayLeave, useRoute } from './lib/router.js';
import { Button, Empty, ErrorBox, Heading, keepFocus, Loading, Page, Toasts, toasting } from './lib/ui.js';
import { groups, overviewLead, titleOf } from './navigation.js';
import { screenAt } from './screens/index.js';
import { SignInScreen } from './screens/sign_in.js';
import { StepUp } from './screens/step_up.js';

// Exports for the screens' modules.
export * from './lib/api.js';
export * from './lib/errors.js';
export * from './lib/html.js';
export * from './lib/i18n.js';
export * from './lib/load.js';
export * from './lib/router.js';
export * from './lib/ui.js';
export * from './navigation.js';

function Preferences({ onLanguage }) {
    const [theme, set] = useState(chooseTheme());
    const pick = (value) => {
        keepTheme(value);
        set(value);
    };
    const speak = toasting(async (tag) => {
        try {
            await setLanguage(tag);
            keepLanguage(tag);
        } finally {
            onLanguage(); // the selected language must match the texts
        }
    });

    return html`<div class="preferences">
        <label><span class="hidden">${t('Language')}</span>
            <select value=${currentLanguage()} onChange=${(event) => speak(event.target.value)}>
            ${languages.map(([tag, name]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}</select></label>
        <label><span class="hidden">${t('Color scheme')}</span>
            <select value=${theme} onChange=${(event) => pick(event.target.value)}>
            <option value="system">${t('System default')}</option><option value="light">${t('Light')}</option>
            <option value="dark">${t('Dark')}</option></select></label>
    </div>`;
}

function Navigation({ path, onFollow }) {
    return html`<nav aria-label=${t('Main menu')}>${groups.map((group) => html`
        ${group.title && html`<h2>${t(group.title)}</h2>`}
        <ul>${group.screens.map(({ path: to, title }) => html`<li><${Link} to=${to} aria-current=${isBelow(path, to) ? 'page' : undefined}
            onFollow=${onFollow} onPointerEnter=${() => begin(screenAt(to).module)}>${t(title)}<//></li>`)}</ul>`)}</nav>`;
}

const focusHeading = () => document.querySelector('h1')?.focus({ preventScroll: true });

/** The frame of each screen. index.html contains the same elements, which Preact takes over. */
function Shell({ me, path, children, onLeave, onLanguage }) {
    const [open, setOpen] = useState(false);
    const person = me?.profile.name[0] ?? { given: [], family: '' };

    return html`<div class="shell">
        <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById('main').focus(); }}>${t('Skip to content')}</a>
        <header>
            <${Button} kind="menu" aria-expanded=${open ? 'true' : 'false'} aria-controls="side"
                onClick=${() => setOpen(!open)}><span aria-hidden="true">☰</span><span class="hidden">${t('Menu')}</span><//>
            <span class="mark" aria-hidden="true"></span>
            <strong class="project">${me ? me.project.brandName ?? me.project.name : 'Atrium'}</strong>
            ${me && html`<span class="who">${[...person.given, person.family].join(' ')}</span>
                <${Button} onClick=${onLeave}>${t('Sign out')}<//>`}
        </header>
        <div class=${open ? 'side open' : 'side'} id="side">
            <${Navigation} path=${path} onFollow=${() => { setOpen(false); focusHeading(); }} />
            <${Preferences} onLanguage=${onLanguage} />
        </div>
        <main id="main" tabindex="-1">${children}</main>
    </div>`;
}

/** A screen before it is known who is signed in. index.html contains it too. */
const Coming = ({ path }) => html`<div class="page">
    <div class="head"><${Heading} title=${titleOf(path) ? t(titleOf(path)) : ''} lead=${path === '/' && overviewLead()} /></div>
    <${Loading} kind="screen" /></div>`;

// A screen from its module, once it has loaded. An error in one screen is shown and does not affect others.
function Opened({ path, screen: { module, name, values }, ...rest }) {
    const [failure, fail] = useState(null), [, again] = useState(0);
    const [broken, mend] = useErrorBoundary(), shown = moduleOf(module);
    const come = () => {
        fail(null);
        load(module).then(() => again((n) => n + 1), fail);
    };

    useEffect(() => { if (!shown) come(); }, []); // it can load between this render and the effect
    if (failure || broken)
        return html`<${Page} title=${titleOf(path) ? t(titleOf(path)) : 'Atrium'}><${ErrorBox} error=${failure ?? broken} retry=${failure ? come : mend} /><//>`;
    return shown ? html`<${shown[name]} ...${values} ...${rest} />` : html`<${Coming} path=${path} />`;
}

function Screen({ path, query, me, onMe }) {
    const screen = screenAt(path);

    return screen ? html`<${Opened} key=${path} path=${path} screen=${screen} query=${query} me=${me} onMe=${onMe} />`
        : html`<${Page} title=${t('Page not found')}><${Empty} title=${t('There is no screen at this URL')}>
            <p><${Link} to="/">${t('Go to overview')}<//></p><//><//>`;
}

function App() {
    const { path, query } = useRoute();
    const [state, set] = useState({ at: maySession() ? 'coming' : 'out' });
    const [, again] = useState(0);
    const [offline, setOffline] = useState(false);
    const [proof, setProof] = useState(null);
    const moved = useRef(path);

    const enter = async () => {
        try {
            set({ at: 'in', me: await get('/auth/me') });
        } catch (error) {
            set(error.status === 401 ? { at: 'out' } : { at: 'error', error });
        }
    };
    const refresh = () => get('/auth/me').then((me) => set({ at: 'in', me }), () => {}); // after a change of what the header shows
    const start = async () => {
        try {
            await (await restore() ? enter() : set({ at: 'out' }));
        } catch (error) {
            set(error instanceof SignInError ? { at: 'out', refused: error } : { at: 'error', error });
        }
    };
    const leave = async () => {
        if (!mayLeave())
            return;
        set({ at: 'leaving' });
        await signOut();
        set({ at: 'out' });
    };

    useLayoutEffect(() => {
        onSignedOut(() => set({ at: 'out', ended: true }));
        onReach((reached) => setOffline(!reached));
        onProof(() => new Promise((done) => setProof({ done })));
        if (state.at === 'coming')
            start();
    }, []);
    useEffect(() => {
        if (moved.current !== path) {
            moved.current = path;
            focusHeading();
        }
    }, [path]);

    const language = () => again((n) => n + 1);
    const body = {
        coming: () => html`<${Shell} path=${path} onLanguage=${language}><${Coming} path=${path} /><//>`,
        leaving: () => html`<main class="alone"><${Loading} /></main>`,
        error: () => html`<main class="alone"><h1>Atrium</h1><${ErrorBox} error=${state.error} retry=${start} /></main>`,
        out: () => html`<main class="alone"><${SignInScreen} ended=${state.ended} refused=${state.refused} tenant=${query.tenant} />
            <${Preferences} onLanguage=${language} /></main>`,
        in: () => (state.me.membership.admin
            ? html`<${Shell} me=${state.me} path=${path} onLeave=${leave} onLanguage=${language}>
                <${Screen} path=${path} query=${query} me=${state.me} onMe=${refresh} /><//>`
            : html`<main class="alone"><h1>${t('Admin access required')}</h1>
                <p>${t('You’re not an admin of {name}. Sign in with an admin account.', { name: state.me.project.name })}</p>
                <p><${Button} kind="primary" onClick=${leave}>${t('Sign out')}<//></p></main>`),
    }[state.at]();

    return html`${offline && html`<p class="offline" role="alert">${t('The service can’t be reached. What you see may be out of date.')}</p>`}
        ${body}<${Toasts} />
        ${proof && html`<${StepUp} onEnd=${(given) => { proof.done(given); setProof(null); }} />`}`;
}

// Without its texts the console is in English. Each long part is a task of its own.
async function start() {
    await setLanguage(chooseLanguage()).catch(() => setLanguage('en'));
    await pause();
    keepFocus();
    render(html`<${App} />`, document.getElementById('app'));
    (globalThis.requestIdleCallback ?? setTimeout)(prepare);
}

start();
