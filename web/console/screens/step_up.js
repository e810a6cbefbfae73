// step_up.js - fresh proof, where a route requires it (RFC 9470).
import { get, post } from '../lib/api.js';
import { hasPasskeys, showPasskey } from '../lib/auth.js';
import { html, useState } from '../lib/html.js';
import { t } from '../lib/i18n.js';
import { Button, Dialog, Field, Loaded, useAct, useLoad } from '../lib/ui.js';

export function StepUp({ onEnd }) {
    const me = useLoad(() => get('/auth/me'));
    const [typed, type] = useState('');
    const enrolled = me.data?.security.mfaEnrolled;
    const { busy, error, run } = useAct(async (body) => {
        await post('/auth/step-up', await body());
        onEnd(true);
    });
    const wrong = error?.status === 400 || error?.status === 401 ? t('That is not right. Try again.') : null;

    return html`<${Dialog} title=${t('Confirm that it is you')} submit=${t('Confirm')} busy=${busy}
        error=${wrong || error?.name === 'NotAllowedError' ? null : error}
        onClose=${() => onEnd(false)} onSubmit=${() => run(async () => (enrolled ? { mfaToken: typed.replace(/\s/g, '') }
            : { password: typed }))}>
        <p>${t('What you are about to do needs a fresh proof. It holds for a few minutes.')}</p>
        <${Loaded} from=${me}>${() => (enrolled
            ? html`<${Field} key="code" label=${t('Code')} hint=${t('Six digits of your authenticator, or a recovery code.')}
                inputmode="numeric" autocomplete="one-time-code" value=${typed} onValue=${type} error=${wrong}
                inputRef=${focusOnce} />`
            : html`<${Field} key="password" label=${t('Password')} type="password" autocomplete="current-password"
                value=${typed} onValue=${type} error=${wrong} inputRef=${focusOnce} />`)}<//>
        ${hasPasskeys() && enrolled && html`<${Button} busy=${busy} onClick=${() => run(async () => {
            const start = await post('/auth/step-up/start');
            return showPasskey(start);
        })}>${t('Use a passkey')}<//>`}
    <//>`;
}

const focusOnce = (input) => { if (input && !input.dataset.seen) { input.dataset.seen = '1'; input.focus(); } };
