// sign_in.js - asks for the project; its hosted pages do the rest.
import { begin } from '../lib/auth.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { t } from '../lib/i18n.js';
import { Button, Field, useAct } from '../lib/ui.js';

const TENANT = 'atrium.console.tenant';

const words = (error) => ({
    0: t('No answer came. Check your connection.'), 404: t('There is no project with this code.'),
    409: t('That sign-in was not begun here, or it is over. Try again.'),
    429: t('That was too often. Wait a little and try again.'),
}[error.status] ?? t('Signing in is not possible: {why}', { why: error.message }));

/** tenant: from a link, followed immediately; refused: the error of a sign-in. */
export function SignInScreen({ ended, refused, tenant }) {
    const first = useRef();
    const [code, setCode] = useState(tenant ?? localStorage.getItem(TENANT) ?? '');
    const { busy, error, run } = useAct(async (chosen) => {
        localStorage.setItem(TENANT, chosen);
        await begin(chosen);
    });
    const problem = error ?? refused;
    const submit = (event) => { event.preventDefault(); if (!busy && code.trim()) run(code.trim()); };

    useEffect(() => {
        document.title = `${t('Sign in')} – Atrium`;
        first.current?.focus();
        if (tenant && !ended && !refused)
            run(tenant);
    }, []);
    return html`<form class="card" onSubmit=${submit}>
        <h1>${t('Sign in to the console')}</h1>
        ${ended && !problem && html`<p class="notice warn" role="status">${t('Your session has ended. Sign in again.')}</p>`}
        ${problem && html`<p class="notice bad" role="alert">${words(problem)}</p>`}
        <${Field} label=${t('Project code')} value=${code} onValue=${setCode} autocomplete="organization" autocapitalize="none"
            spellcheck="false" required inputRef=${first} />
        <${Button} type="submit" kind="primary full" busy=${busy}>${t('Go on to sign in')}<//>
    </form>`;
}
