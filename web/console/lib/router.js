// router.js - paths below /console.
import { addressOf, pathNow } from './first.js';
import { breakable, html, useEffect, useState } from './html.js';
import { t } from './i18n.js';

const listeners = new Set();
const guards = new Set(); // one for each form with unsaved input, and for each running task that leaving would stop

const read = () => ({
    path: pathNow(),
    query: Object.fromEntries(new URLSearchParams(location.search)),
});

const address = () => location.pathname + location.search;
let shown = address(), place = history.state?.place ?? 0; // position of the visible entry in the history of this tab
history.replaceState({ place }, '');

function tell() {
    shown = address();
    listeners.forEach((each) => each());
}

/** Asks `question` before the screen is left, until the returned function is called. */
export function guard(question = t('Leave without saving your changes?')) {
    const held = { question };

    guards.add(held);
    return () => guards.delete(held);
}

/** Returns if the screen can be left. Asks each question once, even if several forms have it. */
export const mayLeave = () => [...new Set([...guards].map(({ question }) => question))].every((each) => window.confirm(each));

export function navigate(path, { replace = false } = {}) {
    if (!replace && !mayLeave())
        return;
    if (!replace)
        place++;
    history[replace ? 'replaceState' : 'pushState']({ place }, '', addressOf(path));
    tell();
    if (!replace)
        window.scrollTo(0, 0);
}

// Back and Forward have already changed the address. To stay, this returns to the visible entry.
window.addEventListener('popstate', ({ state }) => {
    const there = state?.place ?? place + 1; // missing: a fragment link was followed

    if (!state)
        history.replaceState({ place: there }, '');
    if (address() !== shown && !mayLeave()) {
        history.go(place - there);
        return;
    }
    place = there;
    if (address() !== shown)
        tell();
});
window.addEventListener('beforeunload', (event) => { if (guards.size > 0) event.preventDefault(); });

export function useRoute() {
    const [route, set] = useState(read);

    useEffect(() => {
        const look = () => set(read());
        listeners.add(look);
        return () => listeners.delete(look);
    }, []);
    return route;
}

export function Link({ to, children, ...rest }) {
    const click = (event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
            return;
        event.preventDefault();
        navigate(to);
        rest.onFollow?.();
    };
    const { onFollow, ...attributes } = rest;

    return html`<a href=${addressOf(to)} onClick=${click} ...${attributes}>${breakable(children)}</a>`;
}
