// branding.js - the look of the hosted pages, with a preview.
import { call, get } from '../lib/api.js';
import { contrast, CONTRAST_MIN, grounds, isColor } from '../lib/contrast.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { languageName, number, t } from '../lib/i18n.js';
import { Button, Conflict, Dialog, ErrorBox, Field, Loaded, Page, saved, Section, toast, useAct, useGuard, useLoad, useSave } from '../lib/ui.js';
import { brandTitles } from './names.js';

const PATH = '/v1/project/branding';
const PICTURE_MAX = 512 * 1024;
const defaults = { light: '#0b5cad', dark: '#8fc1f5' };
const members = ['name', 'colorLight', 'colorDark', 'imprintUrl', 'privacyUrl'];

const load = async () => {
    const [{ data, etag }, locales, organization] = await Promise.all([call('GET', PATH), get('/locales'), get('/organizations/code').catch(() => null)]);
    return { branding: data, etag, languages: locales.languages, code: organization?.tenantCode ?? organization?.code ?? null };
};

const formOf = ({ branding, languages }) => ({
    ...Object.fromEntries(members.map((name) => [name, branding[name] ?? ''])),
    texts: Object.fromEntries([...new Set([...languages, ...branding.texts.map((each) => each.language)])].map((language) => {
        const { intro, help } = branding.texts.find((each) => each.language === language) ?? {};
        return [language, { intro: intro ?? '', help: help ?? '' }];
    })),
});
const bodyOf = (form) => ({
    ...Object.fromEntries(members.map((name) => [name, form[name].trim() || null])),
    texts: Object.entries(form.texts).filter(([, { intro, help }]) => intro.trim() || help.trim())
        .map(([language, { intro, help }]) => ({ language, intro: intro.trim() || null, help: help.trim() || null })),
});

// Returns the differences of two forms: [title, theirs, mine].
const compared = (theirs, mine) => [...members.map((name) => [t(brandTitles[name]), theirs[name], mine[name]]),
    ...Object.keys({ ...theirs.texts, ...mine.texts }).flatMap((tag) => [['intro', t('Above the sign-in')], ['help', t('Help, below every page')]]
        .map(([part, title]) => [`${title} (${languageName(tag)})`, theirs.texts[tag]?.[part] ?? '', mine.texts[tag]?.[part] ?? '']))]
    .filter(([, a, b]) => a.trim() !== b.trim()).map((row) => row.map((each) => each || '–'));

// Sets style properties, because the CSP forbids inline styles.
function Preview({ form, scheme, logo, code, text, title }) {
    const color = form[scheme === 'light' ? 'colorLight' : 'colorDark'], sheet = grounds[scheme][1];
    const ink = scheme === 'light' ? '#1b1f24' : '#e8ebee', soft = scheme === 'light' ? '#57606a' : '#a6afb9';
    const accent = isColor(color) && contrast(color, scheme) >= CONTRAST_MIN ? color : defaults[scheme];

    return html`<figure class="brand" aria-label=${t('Preview, {scheme}', { scheme: title })} style=${{ background: grounds[scheme][0], color: soft }}>
        <div class="sheet" style=${{ background: sheet, color: ink }}>
            ${logo && html`<img src=${logo} alt="" />`}
            <p style=${{ color: soft }}><strong>${form.name.trim() || t('Name of the project')}</strong></p>
            <p class="title">${t('Sign in')}</p>
            ${text.intro.trim() && html`<p>${text.intro}</p>`}
            <p class="do" style=${{ background: accent, color: scheme === 'light' ? sheet : grounds.dark[0] }}>${t('Sign in')}</p>
            <p class="link" style=${{ color: accent }}>${t('Forgot your password?')}</p>
        </div>
        <figcaption>${text.help.trim() && html`<p>${text.help}</p>`}
            ${(form.imprintUrl.trim() || form.privacyUrl.trim()) && html`<p class="link" style=${{ color: accent }}>${[form.imprintUrl.trim() && t('Imprint'), form.privacyUrl.trim() && t('Privacy')].filter(Boolean).join(' · ')}</p>`}
            <p>${[location.host, code].filter(Boolean).join(' · ')}</p></figcaption>
    </figure>`;
}

function Color({ label, scheme, value, error, onValue }) {
    const found = contrast(value, scheme);
    const told = value === '' ? t('Empty: as the installation’s.') : found === null ? t('Write #rrggbb.')
        : found >= CONTRAST_MIN ? t('Contrast {ratio}:1. Good.', { ratio: number(found) }) : t('Contrast {ratio}:1. At least 4.5:1 is needed.', { ratio: number(found) });

    return html`<div class="color"><${Field} label=${label} value=${value} maxlength="7" spellcheck="false" onValue=${onValue} hint=${told}
            error=${error ?? (found !== null && found < CONTRAST_MIN ? t('This is too hard to read.') : null)} />
        <input type="color" aria-label=${t('{label}: choose', { label })} value=${isColor(value) ? value.toLowerCase() : defaults[scheme]} onInput=${(event) => onValue(event.target.value)} /></div>`;
}

function Logo({ branding, code, onDone }) {
    const chooser = useRef(), [asked, ask] = useState(false);
    const put = useAct(async (file) => {
        if (file.size > PICTURE_MAX)
            throw new Error(t('This file is too large.'));
        const url = await new Promise((done, failed) => {
            const reader = new FileReader();
            reader.onload = () => done(reader.result);
            reader.onerror = () => failed(reader.error);
            reader.readAsDataURL(file);
        });
        const { data, etag } = await call('PUT', `${PATH}/logo`, { body: { image: url.slice(url.indexOf(',') + 1) } });
        onDone(data, etag);
        toast(t('Saved.'));
    });
    const gone = useAct(async () => {
        const { data, etag } = await call('DELETE', `${PATH}/logo`);
        ask(false);
        onDone(data, etag);
        toast(t('Removed.'));
    });

    return html`<${Section} title=${t('Logo')}>
        <p class="soft">${t('A picture of at most 512 KB. What is kept is a PNG of at most 320 by 96 points.')}</p>
        ${branding.logo && code && html`<p class="logo"><img src=${`/t/${encodeURIComponent(code)}/brand.png?v=${branding.logo}`} alt=${t('The logo')} /></p>`}
        <div class="buttons"><${Button} busy=${put.busy} onClick=${() => chooser.current.click()}>${branding.logo ? t('Replace the logo') : t('Upload a logo')}<//>
            ${branding.logo && html`<${Button} kind="quiet danger" onClick=${() => ask(true)}>${t('Remove the logo')}<//>`}
            <input ref=${chooser} type="file" hidden accept="image/png,image/jpeg,image/webp,image/gif,image/avif" onChange=${(event) => { const [file] = event.target.files; event.target.value = ''; if (file) put.run(file); }} /></div>
        ${put.error && html`<${ErrorBox} error=${put.error} />`}
        ${asked && html`<${Dialog} title=${t('Remove the logo')} submit=${t('Remove')} danger busy=${gone.busy} error=${gone.error} onClose=${() => ask(false)} onSubmit=${gone.run}>
            <p>${t('The pages show none from then on, and the picture is not kept.')}</p><//>`}
    <//>`;
}

export function Branding() {
    const state = useLoad(load), [typed, type] = useState(null), [language, speak] = useState(null);
    const form = typed ?? (state.data && formOf(state.data));
    const dirty = Boolean(typed) && JSON.stringify(bodyOf(typed)) !== JSON.stringify(bodyOf(formOf(state.data)));
    const { busy, error, run, conflict, leave } = useSave(async (etag) => {
        const { data, etag: next } = await call('PUT', PATH, { etag, body: bodyOf(form) });
        state.set({ ...state.data, branding: data, etag: next });
        type(saved(typed));
        toast(t('Saved.'));
    }, load);
    const change = (name) => (value) => type({ ...form, [name]: value });
    const problem = (path) => error?.problems?.find((each) => each.path === path)?.message;

    useGuard(dirty);
    useEffect(() => { if (state.data && !language) speak(state.data.languages[0]); }, [state.data]);
    return html`<${Page} title=${t('Branding')} wide><${Loaded} from=${state}>${(data) => {
        const tongue = language ?? data.languages[0], text = form.texts[tongue] ?? { intro: '', help: '' };
        const say = (name) => (value) => type({ ...form, texts: { ...form.texts, [tongue]: { ...text, [name]: value } } });
        const logo = data.branding.logo && data.code ? `/t/${encodeURIComponent(data.code)}/brand.png?v=${data.branding.logo}` : null;

        return html`<div class="branding"><div class="stack"><form class="stack" novalidate onSubmit=${(event) => { event.preventDefault(); if (dirty && !busy) run(data.etag); }}>
            ${conflict && html`<${Conflict} rows=${compared(formOf(conflict), form)}
                onTheirs=${() => { state.set(conflict); type(null); leave(); }} onMine=${() => { state.set(conflict); run(conflict.etag); }} />`}
            <${Section} title=${t('Name and colours')}><div class="form">
                <${Field} wide label=${t('Name')} hint=${t('In the place of the project’s name. Host and tenant code always stand below.')} maxlength="80" value=${form.name} onValue=${change('name')} error=${problem('name')} />
                <${Color} label=${t('Colour by day')} scheme="light" value=${form.colorLight} onValue=${change('colorLight')} error=${problem('colorLight')} />
                <${Color} label=${t('Colour in the dark')} scheme="dark" value=${form.colorDark} onValue=${change('colorDark')} error=${problem('colorDark')} />
            </div><//>
            <${Section} title=${t('Links')}><div class="form">
                <${Field} label=${t('Imprint')} type="url" placeholder="https://" value=${form.imprintUrl} onValue=${change('imprintUrl')} error=${problem('imprintUrl')} />
                <${Field} label=${t('Privacy')} type="url" placeholder="https://" value=${form.privacyUrl} onValue=${change('privacyUrl')} error=${problem('privacyUrl')} />
            </div><//>
            <${Section} title=${t('Texts')}><div class="form">
                <${Field} wide label=${t('Language')} as="select" value=${tongue} onValue=${speak}>${Object.keys(form.texts).map((tag) => html`<option value=${tag}>${languageName(tag)}</option>`)}<//>
                <${Field} wide label=${t('Above the sign-in')} as="textarea" rows="3" maxlength="500" value=${text.intro} onValue=${say('intro')} />
                <${Field} wide label=${t('Help, below every page')} maxlength="200" value=${text.help} onValue=${say('help')} />
            </div><//>
            ${error && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!dirty}>${t('Save')}<//>
                ${dirty && html`<${Button} onClick=${() => type(null)}>${t('Discard')}<//>`}</div>
        </form>
        <${Logo} branding=${data.branding} code=${data.code} onDone=${(branding, etag) => state.set({ ...data, branding, etag })} /></div>
        <aside class="stack" aria-label=${t('Preview')}>
            <${Preview} form=${form} scheme="light" title=${t('Light')} logo=${logo} code=${data.code} text=${text} />
            <${Preview} form=${form} scheme="dark" title=${t('Dark')} logo=${logo} code=${data.code} text=${text} />
            ${data.code && html`<p><a href=${`/t/${encodeURIComponent(data.code)}/sign-in`} target="_blank" rel="noreferrer">${t('Open the sign-in page')}</a></p>`}
        </aside></div>`; }}<//><//>`;
}
