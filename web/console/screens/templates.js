// templates.js - mail templates by language, edited beside a live preview or another language.
import mails from 'mail-templates'; // build.sh makes it from docs/mail-templates.md: {NAME: {variable: sample}}
import { findState, get, put, putState, query as queryOf, remove } from '../lib/api.js';
import { Frame } from '../lib/frame.js';
import { html, useRef, useState } from '../lib/html.js';
import { languageName, N, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Button, Conflict, ConfirmName, ErrorBox, Field, Loaded, otherError, Page, saved, Section, Table, Tabs, toast, useGuard, useLoad, useSave, useSettled } from '../lib/ui.js';
import { templateTitle } from './names.js';

const PATH = '/v1/project/email-templates';
const ANY = ''; // the template without a language
const blank = { subject: '', html: '', text: '' };
const template = (name, language) => findState(`${PATH}/${name}${queryOf({ language })}`);

const tongue = (tag) => (tag ? languageName(tag) : t('All other languages'));

const templateNames = Object.keys(mails).filter((name) => name !== '*');

export function Templates() {
    const list = useLoad(() => get(PATH));

    return html`<${Page} title=${t('Mail templates')}><p class="soft">${t('An email is only sent if its template is set up.')}</p>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Mail templates')} rows=${templateNames.map((name) => ({ key: name, name, mapped: data.resources.filter((each) => each.name === name) }))} columns=${[
            { title: t('Email'), cell: (row) => html`<${Link} to=${`/templates/${row.name}`}>${templateTitle(row.name)}<//><br /><code class="soft">${row.name}</code>` },
            { title: t('Languages'), cell: (row) => (row.mapped.length ? row.mapped.map((each) => html`<${Badge} kind="accent">${each.language || row.mapped.length > 1 ? tongue(each.language) : t('All languages')}<//> `) : html`<${Badge} kind="warn">${t('Not set up')}<//>`) },
            { title: t('Last changed'), kind: 'time', cell: (row) => time(row.mapped.map((each) => each.lastUpdated).sort().pop()) },
        ]} />`}<//><//>`;
}

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const fill = (text, samples, quote) => text.replace(/\{\{\s*(\w+)\s*\}\}/g, (all, name) => (name in samples ? quote(samples[name]) : all));

function Preview({ value, samples }) {
    const settled = useSettled(value, 150);

    return html`<div class="stack">
        <p><span class="soft">${t('Subject')}:</span> <strong>${fill(settled.subject, samples, (text) => text)}</strong></p>
        ${settled.html ? html`<${Frame} class="preview" title=${t('Email preview')} text=${fill(settled.html, samples, escape)} />`
            : html`<p class="soft">${t('Without HTML, the email is sent as plain text.')}</p>`}
        <h3>${t('Plain text')}</h3><pre>${fill(settled.text, samples, (text) => text)}</pre>
    </div>`;
}

const partsOf = (record) => (record ? { subject: record.subject, html: record.html ?? '', text: record.text } : blank);

function Other({ records, not, languages }) {
    const [language, set] = useState(languages.find((each) => each !== not && records.some((record) => (record.language ?? ANY) === each)) ?? languages.find((each) => each !== not));
    const parts = partsOf(records.find((each) => (each.language ?? ANY) === language));

    return html`<div class="stack" lang=${language || undefined}><${Field} label=${t('Compare with')} as="select" value=${language} onValue=${set}>
        ${languages.filter((each) => each !== not).map((each) => html`<option value=${each}>${tongue(each)}</option>`)}<//>
        <${Field} label=${t('Subject (other language)')} value=${parts.subject} readonly /><${Field} label=${t('Text (other language)')} as="textarea" value=${parts.text} readonly rows="8" />
        <${Field} label=${t('HTML (other language)')} as="textarea" class="code" value=${parts.html} readonly /></div>`;
}

function Editor({ name, language, languages, records, reload, onSaved }) {
    const record = records.find((each) => (each.language ?? ANY) === language);
    const [typed, type] = useState(null), [beside, setBeside] = useState('preview'), [gone, setGone] = useState(false), last = useRef({});
    const value = typed ?? partsOf(record);
    const samples = { ...mails['*'], ...mails[name] };
    const change = (part) => (text) => type({ ...value, [part]: text });
    const { busy, error, run, conflict, leave } = useSave(async (etag) => {
        onSaved(await putState(`${PATH}/${name}`, { ...(language && { language }), subject: value.subject, text: value.text, ...(value.html && { html: value.html }) }, etag));
        type(saved(typed));
        toast(t('Saved.'));
    }, async () => await template(name, language) ?? blank);
    const insert = (variable) => {
        const { part = 'text', at } = last.current;
        const position = at ?? value[part].length;
        type({ ...value, [part]: `${value[part].slice(0, position)}{{${variable}}}${value[part].slice(position)}` });
    };
    const note = (part) => (event) => { last.current = { part, at: event.target.selectionStart }; };
    const field = (part, label, rest) => html`<${Field} label=${label} value=${value[part]} onValue=${change(part)} error=${error?.problem?.(part)} onBlur=${note(part)} ...${rest} />`;

    useGuard(typed !== null);
    return html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); run(record?.etag); }}>
        ${conflict && html`<${Conflict} rows=${[[t('Subject'), conflict.subject, value.subject], [t('Text'), conflict.text, value.text], ['HTML', conflict.html ?? '', value.html]]}
            onMine=${() => run(conflict.etag)} onTheirs=${() => { type(null); leave(); reload(); }} />`}
        <div class="grid two"><${Section} title=${tongue(language)}>
            ${field('subject', t('Subject'), { required: true })}${field('text', t('Text'), { as: 'textarea', rows: 8, required: true })}
            ${field('html', 'HTML', { as: 'textarea', class: 'code', spellcheck: 'false', hint: t('Optional') })}
            <div><h3>${t('Variables')}</h3><p class="actions">${Object.keys(samples).map((each) => html`<${Button} kind="quiet" onClick=${() => insert(each)} title=${samples[each]}><code>{{${each}}}</code><//>`)}</p></div>
        <//><${Section}><${Tabs} label=${t('Side panel')} tabs=${[['preview', t('Preview')], ['other', t('Another language')]]} current=${beside} onTab=${setBeside}>
            ${beside === 'preview' ? html`<${Preview} value=${value} samples=${samples} />` : html`<${Other} records=${records} not=${language} languages=${languages} />`}<//><//></div>
        ${otherError(error, 'subject', 'text', 'html') && html`<${ErrorBox} error=${error} />`}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!typed || !value.subject.trim() || !value.text.trim()}>${t('Save')}<//>
            ${typed && html`<${Button} onClick=${() => type(null)}>${t('Discard')}<//>`}${record && html`<${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//>`}</div>
        ${gone && html`<${ConfirmName} title=${t('Delete template')} name=${name} submit=${t('Delete')} act=${() => remove(`${PATH}/${name}?language=${encodeURIComponent(language)}`)}
            onClose=${() => setGone(false)} onDone=${() => {
                const body = { ...(language && { language }), subject: record.subject, text: record.text, ...(record.html && { html: record.html }) };
                setGone(false);
                type(null);
                reload();
                toast(t('Deleted.'), async () => { await put(`${PATH}/${name}`, body); reload(); });
            }}><p>${t('This email will no longer be sent in this language.')}</p><//>`}
    </form>`;
}

export function Template({ name }) {
    const all = useLoad(async () => {
        const [list, locales] = await Promise.all([get(PATH), get('/locales')]);
        const records = (await Promise.all(list.resources.filter((each) => each.name === name).map((each) => template(name, each.language ?? ANY)))).filter(Boolean);
        return { records, languages: [...new Set([...locales.languages, ...records.map((each) => each.language ?? ANY), ANY])], first: records.some((each) => each.language === locales.defaultLanguage) || !records.some((each) => each.language === null) ? locales.defaultLanguage : ANY };
    }, [name]);
    const [language, set] = useState(null);

    return html`<${Page} title=${templateTitle(name)} back=${['/templates', t('Mail templates')]}>
        <${Loaded} from=${all}>${({ records, languages, first }) => {
            const current = language ?? first;
            return html`<${Tabs} label=${t('Languages')} leaves current=${current} onTab=${set} tabs=${languages.map((each) => [each, tongue(each)])}>
                <${Editor} key=${current} name=${name} language=${current} languages=${languages} records=${records} reload=${all.reload}
                    onSaved=${(record) => all.set({ ...all.data, records: [...records.filter((each) => (each.language ?? ANY) !== current), record] })} /><//>`;
        }}<//><//>`;
}
