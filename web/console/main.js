// main.js - the console: who is signed in, what is around each screen, and which screen it is.
import { get, onProof, onReach } from './lib/api.js';
import { onSignedOut, restore, signOut, SignInError } from './lib/auth.js';
import { html, render, useEffect, useRef, useState } from './lib/html.js';
import { currentLanguage, languages, N, setLanguage, t } from './lib/i18n.js';
import { Link, match, mayLeave, useRoute } from './lib/router.js';
import { Button, Empty, ErrorBox, Loading, Page, Toasts } from './lib/ui.js';
import { screens } from './screens/index.js';
import { SignInScreen } from './screens/sign_in.js';
import { StepUp } from './screens/step_up.js';

const groups = [
    ['', ['/']],
    [N('People'), ['/people', '/members']],
    [N('Project'), ['/settings', '/branding', '/account-policy', '/policies', '/clients', '/keys', '/audit']],
    [N('Content'), ['/templates', '/documents', '/content']],
    [N('Automation'), ['/bots', '/webhooks']],
];

const THEME = 'atrium.console.theme';

function applyTheme(theme) {
    if (theme === 'light' || theme === 'dark')
        document.documentElement.dataset.theme = theme;
    else
        delete document.documentElement.dataset.theme;
}
applyTheme(localStorage.getItem(THEME));

function Preferences({ onLanguage }) {
    const [theme, set] = useState(localStorage.getItem(THEME) ?? 'system');
    const pick = (value) => {
        localStorage.setItem(THEME, value);
        applyTheme(value);
        set(value);
    };

    return html`<div class="preferences">
        <label><span class="hidden">${t('Language')}</span>
            <select value=${currentLanguage()} onChange=${(event) => { setLanguage(event.target.value); onLanguage(); }}>
            ${languages.map(([tag, name]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}</select></label>
        <label><span class="hidden">${t('Colours')}</span>
            <select value=${theme} onChange=${(event) => pick(event.target.value)}>
            <option value="system">${t('As the system')}</option><option value="light">${t('Light')}</option>
            <option value="dark">${t('Dark')}</option></select></label>
    </div>`;
}

function Navigation({ path, onFollow }) {
    return html`<nav aria-label=${t('Screens')}>${groups.map(([title, paths]) => html`
        ${title && html`<h2>${t(title)}</h2>`}
        <ul>${paths.map((to) => {
            const here = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
            return html`<li><${Link} to=${to} aria-current=${here ? 'page' : undefined}
                onFollow=${onFollow}>${t(screens.find((each) => each.path === to).title)}<//></li>`;
        })}</ul>`)}</nav>`;
}

function Shell({ me, path, children, onLeave, onLanguage }) {
    const [open, setOpen] = useState(false);
    const person = me.profile.name[0] ?? { given: [], family: '' };

    return html`<div class="shell">
        <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById('main').focus(); }}>${t('Skip to the content')}</a>
        <header>
            <${Button} kind="menu" aria-expanded=${open ? 'true' : 'false'} aria-controls="side"
                onClick=${() => setOpen(!open)}><span aria-hidden="true">☰</span><span class="hidden">${t('Menu')}</span><//>
            <span class="mark" aria-hidden="true"></span>
            <strong class="project">${me.project.name}</strong>
            <span class="who">${[...person.given, person.family].join(' ')}</span>
            <${Button} onClick=${onLeave}>${t('Sign out')}<//>
        </header>
        <div class=${`side ${open ? 'open' : ''}`} id="side">
            <${Navigation} path=${path} onFollow=${() => setOpen(false)} />
            <${Preferences} onLanguage=${onLanguage} />
        </div>
        <main id="main" tabindex="-1">${children}</main>
    </div>`;
}

function Screen({ path, query, me }) {
    for (const each of screens) {
        const values = match(each.path, path);
        if (values)
            return html`<${each.screen} key=${path} ...${values} query=${query} me=${me} />`;
    }
    return html`<${Page} title=${t('Not found')}><${Empty} title=${t('There is no such screen')}>
        <p><${Link} to="/">${t('Go to the overview')}<//></p><//><//>`;
}

function App() {
    const { path, query } = useRoute();
    const [state, set] = useState({ at: 'loading' });
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
        set({ at: 'loading' });
        await signOut();
        set({ at: 'out' });
    };

    useEffect(() => {
        onSignedOut(() => set({ at: 'out', ended: true }));
        onReach((reached) => setOffline(!reached));
        onProof(() => new Promise((done) => setProof({ done })));
        start();
    }, []);
    useEffect(() => {
        if (moved.current !== path) {
            moved.current = path;
            document.querySelector('h1')?.focus({ preventScroll: true });
        }
    }, [path]);

    const language = () => again((n) => n + 1);
    const body = {
        loading: () => html`<main class="alone"><${Loading} /></main>`,
        error: () => html`<main class="alone"><h1>Atrium</h1><${ErrorBox} error=${state.error} retry=${start} /></main>`,
        out: () => html`<main class="alone"><${SignInScreen} ended=${state.ended} refused=${state.refused} tenant=${query.tenant} />
            <${Preferences} onLanguage=${language} /></main>`,
        in: () => (state.me.membership.admin
            ? html`<${Shell} me=${state.me} path=${path} onLeave=${leave} onLanguage=${language}>
                <${Screen} path=${path} query=${query} me=${state.me} /><//>`
            : html`<main class="alone"><h1>${t('No admin')}</h1>
                <p>${t('{name} is not yours to administer. Sign in as one of its admins.', { name: state.me.project.name })}</p>
                <p><${Button} kind="primary" onClick=${leave}>${t('Sign out')}<//></p></main>`),
    }[state.at]();

    return html`${offline && html`<p class="offline" role="alert">${t('The service cannot be reached. What you see may be old.')}</p>`}
        ${body}<${Toasts} />
        ${proof && html`<${StepUp} onEnd=${(given) => { proof.done(given); setProof(null); }} />`}`;
}

const root = document.getElementById('app');
root.textContent = '';
render(html`<${App} />`, root);
