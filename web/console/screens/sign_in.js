// sign_in.js - the steps of a sign-in: password or passkey, second factor, project.
import { hasPasskeys, SignIn } from '../lib/auth.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { t } from '../lib/i18n.js';
import { Button, Field, useAct } from '../lib/ui.js';

const TENANT = 'atrium.console.tenant';

const words = (error) => ({
    400: t('Address or password is wrong.'), 401: t('That code is wrong or has expired.'),
    403: t('Signing in is not possible: {why}', { why: error.message }),
    404: t('There is no project with this code.'),
    429: t('That was too often. Wait a little and try again.'),
}[error.status] ?? (error.status ? error.message : t('No answer came. Check your connection.')));

export function SignInScreen({ ended, tenant, onDone }) {
    const signIn = useRef(new SignIn()).current, first = useRef();
    const [code, setCode] = useState(tenant ?? localStorage.getItem(TENANT) ?? '');
    const [email, setEmail] = useState(''), [password, setPassword] = useState(''), [factor, setFactor] = useState('');
    const [step, setStep] = useState({ next: 'start' });
    const { busy, error, run } = useAct(async (work) => {
        const next = await work();

        if (next.next === 'done') {
            localStorage.setItem(TENANT, signIn.tenantCode ?? '');
            await onDone();
        } else {
            setStep(next);
        }
    });
    const problem = error && error.name !== 'NotAllowedError'
        && html`<p class="notice bad" role="alert">${words(error)}</p>`;
    const form = (work) => (event) => { event.preventDefault(); if (!busy) run(work); };

    useEffect(() => {
        document.title = `${t('Sign in')} – Atrium`;
        first.current?.focus();
    }, [step.next]);
    if (step.next === 'mfa')
        return html`<form class="card" onSubmit=${form(() => signIn.factor(factor.replace(/\s/g, '')))}>
            <h1>${t('Second factor')}</h1>${problem}
            <${Field} label=${t('Code')} hint=${t('Six digits of your authenticator, or a recovery code.')} value=${factor}
                onValue=${setFactor} inputmode="numeric" autocomplete="one-time-code" inputRef=${first} required />
            <${Button} type="submit" kind="primary full" busy=${busy}>${t('Go on')}<//>
            ${hasPasskeys() && html`<${Button} kind="full" busy=${busy}
                onClick=${() => run(() => signIn.factorByPasskey())}>${t('Use a passkey')}<//>`}
        </form>`;
    if (step.next === 'tenant')
        return html`<div class="card"><h1>${t('Which project?')}</h1>${problem}
            ${step.tenants.map((each, i) => html`<${Button} kind="full" busy=${busy} ref=${i === 0 ? first : undefined}
                onClick=${() => run(() => signIn.tenant(each.tenantCode))}>${each.project.display}<//>`)}</div>`;
    return html`<form class="card" onSubmit=${form(() => signIn.password(code.trim(), email.trim(), password))}>
        <h1>${t('Sign in to the console')}</h1>
        ${ended && !error && html`<p class="notice warn" role="status">${t('Your session has ended. Sign in again.')}</p>`}
        ${problem}
        <${Field} label=${t('Project code')} hint=${t('May be left empty.')} value=${code} onValue=${setCode}
            autocomplete="organization" autocapitalize="none" spellcheck="false" />
        <${Field} label=${t('E-mail address')} type="email" value=${email} onValue=${setEmail} autocomplete="username"
            required inputRef=${first} />
        <${Field} label=${t('Password')} type="password" value=${password} onValue=${setPassword}
            autocomplete="current-password" required />
        <${Button} type="submit" kind="primary full" busy=${busy}>${t('Sign in')}<//>
        ${hasPasskeys() && html`<${Button} kind="full" busy=${busy}
            onClick=${() => run(() => signIn.passkey(code.trim()))}>${t('Sign in with a passkey')}<//>`}
    </form>`;
}
