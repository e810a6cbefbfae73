// first.js - what is known before anything is asked: the place, the language, the colours, whether there may be a session.
// boot.js, in the document, draws the shell from it before the script is loaded, and the script uses the same values.
const BASE = '/console';
const LANGUAGE = 'atrium.console.language', THEME = 'atrium.console.theme';

export const SESSION = 'atrium.console.session'; // in sessionStorage: { issuer, key, refresh, nonce }
export const languages = [['en', 'English'], ['de', 'Deutsch'], ['es', 'Español']];

/** The element of the document that holds a module back; SETTLED happens to it when that has come, or did not come. */
export const heldBack = (name) => document.getElementById(`module-${name}`);
export const SETTLED = 'settled';

/** Lets a module be fetched: once, and again after it did not come. */
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

/** Whether the screen at `path` is that of the navigation at `to`, or below it. */
export const isBelow = (path, to) => path === to || (to !== '/' && path.startsWith(`${to}/`));

/** Whether the pages have led back here with an answer. */
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
