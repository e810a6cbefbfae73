// first.js - what is known before any request: path, language, colors, and if there may be a session. boot.js, inside
// the document, draws the shell from it before the main script is loaded, and that script uses the same values.
const BASE = '/console';
const LANGUAGE = 'atrium.console.language', THEME = 'atrium.console.theme';

export const SESSION = 'atrium.console.session'; // in sessionStorage: { issuer, key, refresh, nonce }
export const languages = [['en', 'English'], ['de', 'Deutsch'], ['es', 'Español']];

/**
 * Returns the element that defers a module. It receives the event SETTLED when the module has loaded or failed to load.
 */
export const heldBack = (name) => document.getElementById(`module-${name}`);
export const SETTLED = 'settled';

/** Loads a module, once, or again after it failed to load. */
export function begin(name) {
    const held = heldBack(name);

    if ('begun' in held.dataset)
        return;
    const script = document.importNode(held.content, true).firstElementChild;

    held.dataset.begun = '';
    script.onerror = () => {
        delete held.dataset.begun;
        held.dispatchEvent(new Event(SETTLED));
    };
    document.body.append(script);
}

export const addressOf = (path) => BASE + path;
export const pathNow = () => location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';

/** True when the screen at `path` is at or below `to` in the navigation. */
export const isBelow = (path, to) => path === to || (to !== '/' && path.startsWith(`${to}/`));

/** True when the hosted pages have returned with a response. */
export function isAnswer(query) {
    return query.has('state') && (query.has('code') || query.has('error'));
}

export const maySession = () => sessionStorage.getItem(SESSION) !== null || isAnswer(new URLSearchParams(location.search));

export function chooseLanguage() {
    const wanted = [localStorage.getItem(LANGUAGE), ...navigator.languages].map((tag) => tag?.slice(0, 2));

    return wanted.find((tag) => languages.some(([known]) => known === tag)) ?? 'en';
}

export const keepLanguage = (tag) => localStorage.setItem(LANGUAGE, tag);

export const chooseTheme = () => localStorage.getItem(THEME) ?? 'system';

export function applyTheme(theme) {
    if (theme === 'light' || theme === 'dark')
        document.documentElement.dataset.theme = theme;
    else
        delete document.documentElement.dataset.theme;
}

export function keepTheme(theme) {
    localStorage.setItem(THEME, theme);
    applyTheme(theme);
}
