// branding.js - the look of the hosted pages, with a preview.
import { call, get, post } from '../lib/api.js';
import { contrast, CONTRAST_MIN, grounds, isColor, readable } from '../lib/contrast.js';
import { Frame } from '../lib/frame.js';
import { html, useCallback, useEffect, useRef, useState } from '../lib/html.js';
import { languageName, number, t } from '../lib/i18n.js';
import { Button, Conflict, Dialog, ErrorBox, Field, Loaded, Page, saved, Section, Tabs, toast, useAct, useGuard, useLoad, useSave, useSettled } from '../lib/ui.js';
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
    ...Object.keys({ ...theirs.texts, ...mine.texts }).flatMap((tag) => [['intro', t('Text above the sign-in form')], ['help', t('Help text below each page')]]
        .map(([part, title]) => [`${title} (${languageName(tag)})`, theirs.texts[tag]?.[part] ?? '', mine.texts[tag]?.[part] ?? '']))]
    .filter(([, a, b]) => a.trim() !== b.trim()).map((row) => row.map((each) => each || '–'));

const schemes = [['light', 'colorLight'], ['dark', 'colorDark']];
const legible = (color, scheme) => isColor(color) && contrast(color, scheme) >= CONTRAST_MIN;
const unreadable = (form) => schemes.some(([scheme, name]) => form[name].trim() && !legible(form[name].trim(), scheme));

// What can be shown of a form that has mistakes: the rest of it.
const showable = (form) => {
    const body = bodyOf(form);

    for (const [scheme, name] of schemes)
        body[name] = body[name] && legible(body[name], scheme) ? body[name] : null;
    for (const name of ['imprintUrl', 'privacyUrl'])
        body[name] = body[name] && /^https:\/\/./.test(body[name]) ? body[name] : null;
    return body;
};

const dataUrl = (blob) => new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
});

// The frame loads nothing, and takes no focus.
const still = (page, picture) => page.replaceAll(' autofocus', '').replace(/<img class="logo"[^>]*>/, picture ? `<img class="logo" src="${picture}" alt="">` : '');

// Gives the page one scheme, whichever the browser prefers, and the frame the page's height.
function draw(page, frame, scheme, accent, language) {
    const { style } = page.documentElement;

    page.documentElement.lang = language;
    style.colorScheme = scheme;
    for (const rule of [...page.styleSheets].flatMap((sheet) => [...sheet.cssRules])) {
        if (rule.media?.mediaText.includes('prefers-color-scheme'))
            rule.media.mediaText = rule.media.mediaText.includes(scheme) ? 'all' : 'not all';
    }
    style.setProperty('--accent', accent); // an empty one is the page's
    style.setProperty('--on-accent', accent && (scheme === 'light' ? grounds.light[1] : grounds.dark[0]));
    frame.style.height = '0'; // the page is at least as high as its frame
    frame.style.height = `${page.documentElement.scrollHeight}px`;
}

/** The sign-in page with what was typed, as the server renders it. */
function Preview({ form, logo, language, scheme, onScheme }) {
    const settled = useSettled(JSON.stringify({ ...showable(form), language })), [page, show] = useState(null), [picture, take] = useState(null), [error, fail] = useState(null);
    const accent = form[scheme === 'light' ? 'colorLight' : 'colorDark'].trim(), shown = legible(accent, scheme) ? accent : '';
    const drawn = useCallback((document, frame) => draw(document, frame, scheme, shown, language), [scheme, shown, language]);

    useEffect(() => {
        let current = true;

        post(`${PATH}/preview`, JSON.parse(settled)).then(({ html: text }) => { if (current) { show(text); fail(null); } }, (failure) => { if (current) fail(failure); });
        return () => { current = false; };
    }, [settled]);
    useEffect(() => {
        let current = true;

        take(null);
        if (logo)
            fetch(logo).then((answer) => answer.blob()).then(dataUrl).then((url) => { if (current) take(url); }, () => {});
        return () => { current = false; };
    }, [logo]);
    return html`<${Tabs} label=${t('Preview')} tabs=${[['light', t('Light')], ['dark', t('Dark')]]} current=${scheme} onTab=${onScheme}>
        ${error && html`<${ErrorBox} error=${error} />`}
        ${page ? html`<${Frame} class="preview brand" inert title=${t('Preview: {scheme}', { scheme: scheme === 'light' ? t('Light') : t('Dark') })} draw=${drawn}
            text=${still(page, picture)} />` : html`<div class="brand" aria-busy=${error ? undefined : 'true'}></div>`}<//>`;
}

function Color({ label, scheme, value, error, onValue }) {
    const found = contrast(value, scheme), bad = found !== null && found < CONTRAST_MIN, better = bad && readable(value, scheme);
    const told = value === '' ? t('Leave empty to use the default color.') : found === null || bad ? null : t('Contrast {ratio}:1. Good.', { ratio: number(found) });

    return html`<div class="color"><${Field} label=${label} value=${value} maxlength="7" spellcheck="false" onValue=${onValue} hint=${told}
            error=${bad ? t('This color is too hard to read on the page: its contrast is {ratio}:1 and must be at least 4.5:1.', { ratio: number(found) }) : error ?? (value && found === null ? t('Enter a color as #rrggbb.') : null)} />
        <input type="color" aria-label=${t('Choose color: {label}', { label })} value=${isColor(value) ? value.toLowerCase() : defaults[scheme]} onInput=${(event) => onValue(event.target.value)} />
        ${better && html`<div><${Button} kind="quiet start" onClick=${() => onValue(better)}>${t('Use {color}, the closest readable color', { color: better })}<//></div>`}</div>`;
}

function Logo({ branding, code, onDone }) {
    const chooser = useRef(), [asked, ask] = useState(false);
    const put = useAct(async (file) => {
        if (file.size > PICTURE_MAX)
            throw new Error(t('This file is too large.'));
        const url = await dataUrl(file);
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
        <p class="soft">${t('An image of up to 512 KB. It’s converted to a PNG of at most 320 × 96 pixels.')}</p>
        ${branding.logo && code && html`<p class="logo"><img src=${`/t/${encodeURIComponent(code)}/brand.png?v=${branding.logo}`} alt=${t('Logo')} /></p>`}
        <div class="buttons"><${Button} busy=${put.busy} onClick=${() => chooser.current.click()}>${branding.logo ? t('Replace logo') : t('Upload logo')}<//>
            ${branding.logo && html`<${Button} kind="quiet danger" onClick=${() => ask(true)}>${t('Remove logo')}<//>`}
            <input ref=${chooser} type="file" hidden accept="image/png,image/jpeg,image/webp,image/gif,image/avif" onChange=${(event) => { const [file] = event.target.files; event.target.value = ''; if (file) put.run(file); }} /></div>
        ${put.error && html`<${ErrorBox} error=${put.error} />`}
        ${asked && html`<${Dialog} title=${t('Remove logo')} submit=${t('Remove')} danger busy=${gone.busy} error=${gone.error} onClose=${() => ask(false)} onSubmit=${gone.run}>
            <p>${t('The image will be deleted, and the hosted pages will no longer show it.')}</p><//>`}
    <//>`;
}

export function Branding({ onMe }) {
    const state = useLoad(load), [typed, type] = useState(null), [language, speak] = useState(null), [scheme, choose] = useState('light');
    const form = typed ?? (state.data && formOf(state.data));
    const dirty = Boolean(typed) && JSON.stringify(bodyOf(typed)) !== JSON.stringify(bodyOf(formOf(state.data)));
    const { busy, error, run, conflict, leave } = useSave(async (etag) => {
        const { data, etag: next } = await call('PUT', PATH, { etag, body: bodyOf(form) });
        state.set({ ...state.data, branding: data, etag: next });
        type(saved(typed));
        onMe(); // the console's header has the name
        toast(t('Saved.'));
    }, load);
    const color = (name, of) => (value) => { type({ ...form, [name]: value }); choose(of); };
    const submit = (event, etag) => {
        event.preventDefault();
        if (unreadable(form))
            event.currentTarget.querySelector('[aria-invalid]')?.focus();
        else if (dirty && !busy)
            run(etag);
    };
    const change = (name) => (value) => type({ ...form, [name]: value });
    const problem = (path) => error?.problems?.find((each) => each.path === path)?.message;

    useGuard(dirty);
    useEffect(() => { if (state.data && !language) speak(state.data.languages[0]); }, [state.data]);
    return html`<${Page} title=${t('Branding')}><${Loaded} from=${state}>${(data) => {
        const tongue = language ?? data.languages[0], text = form.texts[tongue] ?? { intro: '', help: '' };
        const say = (name) => (value) => type({ ...form, texts: { ...form.texts, [tongue]: { ...text, [name]: value } } });
        const logo = data.branding.logo && data.code ? `/t/${encodeURIComponent(data.code)}/brand.png?v=${data.branding.logo}` : null;

        return html`<div class="branding"><div class="stack"><form class="stack" novalidate onSubmit=${(event) => submit(event, data.etag)}>
            ${conflict && html`<${Conflict} rows=${compared(formOf(conflict), form)}
                onTheirs=${() => { state.set(conflict); type(null); leave(); }} onMine=${() => { state.set(conflict); run(conflict.etag); }} />`}
            <${Section} title=${t('Name and colors')}><div class="form">
                <${Field} wide label=${t('Name')} hint=${t('Replaces the project name on the pages, in the console and as the sender of emails. The pages always show the host and tenant code too.')} maxlength="80" value=${form.name} onValue=${change('name')} error=${problem('name')} />
                <${Color} label=${t('Light mode color')} scheme="light" value=${form.colorLight} onValue=${color('colorLight', 'light')} error=${problem('colorLight')} />
                <${Color} label=${t('Dark mode color')} scheme="dark" value=${form.colorDark} onValue=${color('colorDark', 'dark')} error=${problem('colorDark')} />
            </div><//>
            <${Section} title=${t('Links')}><div class="form">
                <${Field} label=${t('Legal notice')} type="url" placeholder="https://" value=${form.imprintUrl} onValue=${change('imprintUrl')} error=${problem('imprintUrl')} />
                <${Field} label=${t('Privacy policy')} type="url" placeholder="https://" value=${form.privacyUrl} onValue=${change('privacyUrl')} error=${problem('privacyUrl')} />
            </div><//>
            <${Section} title=${t('Texts')}><div class="form">
                <${Field} wide label=${t('Language')} as="select" value=${tongue} onValue=${speak}>${Object.keys(form.texts).map((tag) => html`<option value=${tag}>${languageName(tag)}</option>`)}<//>
                <${Field} wide label=${t('Text above the sign-in form')} as="textarea" rows="3" maxlength="500" value=${text.intro} onValue=${say('intro')} />
                <${Field} wide label=${t('Help text below each page')} maxlength="200" value=${text.help} onValue=${say('help')} />
            </div><//>
            ${error && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!dirty}>${t('Save')}<//>
                ${dirty && html`<${Button} onClick=${() => type(null)}>${t('Discard')}<//>`}</div>
        </form>
        <${Logo} branding=${data.branding} code=${data.code} onDone=${(branding, etag) => state.set({ ...data, branding, etag })} /></div>
        <aside class="stack" aria-label=${t('Preview')}>
            ${data.code && html`<${Preview} form=${form} scheme=${scheme} onScheme=${choose} logo=${logo} language=${tongue} />`}
            ${data.code && html`<p><a href=${`/t/${encodeURIComponent(data.code)}/sign-in`} target="_blank" rel="noreferrer">${t('Open sign-in page')}</a></p>`}
        </aside></div>`; }}<//><//>`;
}
