// content.js - content entries: the default language beside a translation.
import { get, findState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { languageName, number, plural, t } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Conflict, ConfirmName, Count, Dialog, Empty, ErrorBox, Field, Loaded, Page, saved, Section, Table, toast, useAct, useGuard, useLoad, useRows, useSave, useSettled } from '../lib/ui.js';

const TYPES = ['article', 'faq', 'exercise'];
// Allowed in a page's address that becomes part of a request's.
const NAME = /^[\w-]+$/;
const named = (text) => (NAME.test(text ?? '') ? text : undefined);
const at = (type, key, language) => `/cms/${encodeURIComponent(type)}/${encodeURIComponent(key)}/${encodeURIComponent(language)}`;

const textOf = (value) => value.sections.flatMap((each) => [each.title, each.text]).filter(Boolean).join('\n');

const none = { title: '', sections: [{ title: '', text: '' }] };

const entry = (type, key, language) => findState(at(type, key, language));

function Side({ value, onChange, language, label }) {
    const section = (i, part) => onChange({ ...value, sections: value.sections.map((each, j) => (i === j ? { ...each, ...part } : each)) });

    return html`<${Section} title=${label}><div class="stack" lang=${language}>
        <${Field} label=${t('Title')} value=${value.title} readonly=${!onChange} onValue=${onChange && ((title) => onChange({ ...value, title }))} />
        ${value.sections.map((each, i) => html`<${Field} key=${`t${i}`} label=${t('Heading {n}', { n: number(i + 1) })} value=${each.title ?? ''} readonly=${!onChange} onValue=${onChange && ((title) => section(i, { title }))} />
            <${Field} key=${`x${i}`} label=${t('Text {n}', { n: number(i + 1) })} as="textarea" value=${each.text} readonly=${!onChange} onValue=${onChange && ((text) => section(i, { text }))} />`)}
        ${onChange && html`<div class="actions"><${Button} onClick=${() => onChange({ ...value, sections: [...value.sections, { title: '', text: '' }] })}>${t('Add a section')}<//>
            ${value.sections.length > 1 && html`<${Button} onClick=${() => onChange({ ...value, sections: value.sections.slice(0, -1) })}>${t('Remove the last section')}<//>`}</div>`}
    </div><//>`;
}

function Editor({ type, id, language, source, onSaved }) {
    const both = useLoad(async () => {
        const [original, target] = await Promise.all([language === source ? null : entry(type, id, source), entry(type, id, language)]);
        return { original, target };
    }, [type, id, language]);
    const [typed, setTyped] = useState(null), [gone, setGone] = useState(false);
    const value = typed ?? both.data?.target ?? none;
    const save = useSave(async (etag) => {
        const sections = value.sections.map(({ title, text }) => ({ ...(title && { title }), text }));
        const { author, code } = value;
        both.set({ ...both.data, target: await putState(at(type, id, language), { title: value.title, sections, ...(author && { author }), ...(code && { code }) }, etag) });
        setTyped(saved(typed));
        toast(t('Saved.'));
        onSaved();
    }, async () => await entry(type, id, language) ?? none);
    const { conflict } = save;
    const suggest = useAct(async () => {
        const { original } = both.data;
        const texts = [original.title, ...original.sections.flatMap((each) => [each.title ?? '', each.text])];
        const wanted = texts.map((text, i) => [text, i]).filter(([text]) => text.trim());
        const made = await post('/ai/translation', { sourceLanguage: source.slice(0, 2), targetLanguage: language.slice(0, 2), text: wanted.map(([text]) => text) });
        const all = [...texts];

        wanted.forEach(([, i], j) => { all[i] = made.text[j]; });
        setTyped({ ...original, ...both.data.target, title: all[0], sections: original.sections.map((each, i) => ({ title: all[1 + 2 * i], text: all[2 + 2 * i] })) });
        const failed = made.items.filter((each) => each.status === 'failed').length;
        toast(failed ? plural(failed, '{n} text could not be translated and is as in the source.', '{n} texts could not be translated and are as in the source.') : t('Suggested. Read it before you save.'),
            typed && (() => setTyped(typed)));
    });

    useGuard(typed !== null);
    return html`<${Loaded} from=${both}>${({ original, target }) => html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); save.run(target?.etag); }}>
        ${conflict && html`<${Conflict} rows=${[[t('Title'), conflict.title, value.title], [t('Text'), textOf(conflict), textOf(value)]].filter(([, theirs, mine]) => theirs !== mine)}
            onTheirs=${() => { both.set({ ...both.data, target: conflict }); setTyped(null); save.leave(); }} onMine=${() => save.run(conflict.etag)} />`}
        <div class=${original ? 'grid two' : 'stack'}>
            ${original && html`<${Side} value=${original} language=${source} label=${languageName(source)} />`}
            <${Side} value=${value} language=${language} label=${languageName(language)} onChange=${setTyped} />
        </div>
        ${(save.error || suggest.error) && html`<${ErrorBox} error=${save.error ?? suggest.error} />`}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${save.busy} disabled=${!typed || !value.title.trim()}>${t('Save')}<//>
            ${typed && html`<${Button} onClick=${() => setTyped(null)}>${t('Discard')}<//>`}
            ${original && html`<${Button} busy=${suggest.busy} onClick=${suggest.run}>${t('Suggest a translation')}<//>`}
            ${target && html`<${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//>`}</div>
        ${gone && html`<${ConfirmName} title=${t('Delete this language of the entry')} name=${id} submit=${t('Delete')} act=${() => remove(at(type, id, language))}
            onClose=${() => setGone(false)} onDone=${() => { setGone(false); setTyped(null); both.set({ ...both.data, target: null }); onSaved(); toast(t('Deleted.')); }}><//>`}
    </form>`}<//>`;
}

function Create({ type, language, onClose }) {
    const [id, setId] = useState('');
    const free = /^[a-z0-9][a-z0-9-]*$/.test(id);

    return html`<${Dialog} title=${t('New entry')} submit=${t('Go on')} disabled=${!free} onClose=${onClose} onSubmit=${() => { onClose(); setTimeout(() => navigate(`/content${queryOf({ type, language, key: id })}`)); }}>
        <${Field} label=${t('Key')} hint=${t('Small letters, digits and hyphens. The same in every language.')} value=${id} onValue=${setId} autofocus />
    <//>`;
}

export function Content({ query }) {
    const locales = useLoad(() => get('/locales'));
    const type = named(query.type) ?? 'article', key = named(query.key), source = locales.data?.defaultLanguage;
    const language = named(query.language) ?? source;
    const [search, setSearch] = useState(''), [create, setCreate] = useState(false);
    const settled = useSettled(search.trim());
    const list = useRows(language && `/cms/${type}/map/${language}`, { search: settled }, [type, language, settled]);
    const address = (part) => `/content${queryOf({ type, language, ...part })}`, go = (part) => navigate(address(part));

    if (key && source)
        return html`<${Page} title=${key} wide back=${[`/content${queryOf({ type, language })}`, t('Content')]}>
            <div class="filters few"><${Field} label=${t('Language')} as="select" value=${language} onValue=${(value) => go({ language: value, key })}>
                ${locales.data.languages.map((tag) => html`<option value=${tag}>${languageName(tag)}</option>`)}<//></div>
            <${Editor} key=${`${type} ${key} ${language}`} type=${type} id=${key} language=${language} source=${source} onSaved=${() => {}} /><//>`;
    return html`<${Page} title=${t('Content')} wide actions=${html`<${Button} kind="primary" onClick=${() => setCreate(true)}>${t('New entry')}<//>`}>
        <${Loaded} from=${locales}>${(known) => html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('Search')} type="search" value=${search} onValue=${setSearch} />
            <${Field} label=${t('Type')} as="select" value=${type} onValue=${(value) => go({ type: value })}>${[...new Set([...TYPES, type])].map((each) => html`<option value=${each}>${each}</option>`)}<//>
            <${Field} label=${t('Language')} as="select" value=${language} onValue=${(value) => go({ language: value })}>${known.languages.map((tag) => html`<option value=${tag}>${languageName(tag)}</option>`)}<//>
        </form>`}<//>
        <${Loaded} from=${list}>${(data) => html`<div class="stack"><${Count} list=${list} text=${(n) => plural(n, '{n} entry', '{n} entries')} />
            <${Table} label=${t('Content')} rows=${data.resources.map((each) => ({ ...each, key: (each.source ?? each.target).key }))} more=${list.more} busy=${list.busy} onMore=${list.next} columns=${[
                    { title: t('Key'), cell: (row) => html`<${Link} to=${address({ key: row.key })}>${row.key}<//>` },
                    { title: source ? languageName(source) : '', cell: (row) => row.source?.title ?? '–' },
                    language !== source && { title: language ? languageName(language) : '', cell: (row) => row.target?.title ?? html`<${Badge} kind="warn">${t('not translated')}<//>` },
                ].filter(Boolean)} empty=${settled ? html`<${Empty} title=${t('Nothing found')}><p><${Button} onClick=${() => setSearch('')}>${t('Clear the search')}<//></p><//>`
                    : html`<${Empty} title=${t('No content of this type')}><p>${t('Create an entry, or import a file with atriumctl.')}</p><//>`} /></div>`}<//>
        ${create && html`<${Create} type=${type} language=${source} onClose=${() => setCreate(false)} />`}
    <//>`;
}
