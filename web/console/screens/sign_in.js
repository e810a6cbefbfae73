// sign_in.js - asks for the project; its hosted pages do the rest.
import { begin } from '../lib/auth.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { t } from '../lib/i18n.js';
import { Button, Field, useAct } from '../lib/ui.js';

const TENANT = 'atrium.console.tenant';

const words = (error) => ({
    0: t('No response. Check your connection.'), 404: t('No project has this tenant code.'),
    409: t('This sign-in wasn’t started in this browser, or it has expired. Try again.'),
    429: t('Too many attempts. Wait a moment and try again.'),
}[error.status] ?? t('Sign-in failed: {why}', { why: error.message }));

const NO_FACTOR = 'The account must enrol a second factor first.'; // authd/oauth/authorize.c

const needsFactor = (code) => html`<div class="notice warn" role="alert">
    <p>${t('This project requires a second factor. Set it up on your account page, then sign in again.')}</p>
    <p><a href=${`/t/${encodeURIComponent(code)}/account/factor`}>${t('Set up a second factor')}</a></p></div>`;

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
        ${ended && !problem && html`<p class="notice warn" role="status">${t('Your session has ended. Please sign in again.')}</p>`}
        ${problem && (problem.message === NO_FACTOR ? needsFactor(code)
            : html`<p class="notice bad" role="alert">${words(problem)}</p>`)}
        <${Field} label=${t('Tenant code')} value=${code} onValue=${setCode} autocomplete="organization" autocapitalize="none"
            spellcheck="false" required inputRef=${first} />
        <${Button} type="submit" kind="primary full" busy=${busy}>${t('Continue to sign-in')}<//>
    </form>`;
}
