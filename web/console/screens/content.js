// content.js - content entries in all languages, and the default language beside a translation.
import { get, findState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { languageName, N, number, plural, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Conflict, ConfirmName, Count, Dialog, Empty, ErrorBox, Field, Loaded, Page, saved, Section, Table, toast, useAct, useGuard, useLoad, useRows, useSave, useSettled } from '../lib/ui.js';

const TYPES = ['article', 'faq', 'exercise'];
// Allowed in a page's address that becomes part of a request's.
const NAME = /^[\w-]+$/;
const named = (text) => (NAME.test(text ?? '') ? text : undefined);
const DRAFTS = '/v1/project/content-drafts';
const at = (type, key, language) => `/cms/${encodeURIComponent(type)}/${encodeURIComponent(key)}/${encodeURIComponent(language)}`;
const draftAt = (...entry) => at(...entry).replace('/cms', DRAFTS);

const textOf = (value) => value.sections.flatMap((each) => [each.title, each.text]).filter(Boolean).join('\n');

// States of an entry in a language.
const states = { source: [N('Original'), ''], current: [N('Up to date'), 'good'], outdated: [N('Outdated'), 'warn'], missing: [N('Missing'), 'warn'] };

/** Without an original, a translation is up to date. */
function stateOf(versions, language, source) {
    const own = versions.find((each) => each.language === language), original = versions.find((each) => each.language === source);

    return !own ? 'missing' : language === source ? 'source' : original && own.lastUpdated < original.lastUpdated ? 'outdated' : 'current';
}

// As the query parameter `translation` has them.
const todos = { missing: N('Missing in {language}'), outdated: N('Outdated in {language}') };

/** A draft comes first; an entry that has only a draft is not called missing. */
const State = ({ of, draft }) => html`${draft && html`<${Badge} kind="accent">${t('Draft')}<//><span class="hidden">, </span>`}
    ${!(draft && of === 'missing') && html`<${Badge} kind=${states[of][1]}>${t(states[of][0])}<//>`}`;
const stateText = (of, draft) => (draft ? t('Draft') : t(states[of][0]));

const none = { title: '', sections: [{ title: '', text: '' }] };

const entry = (type, key, language) => findState(at(type, key, language));

function Side({ value, onChange, language, label, state, draft }) {
    const section = (i, part) => onChange({ ...value, sections: value.sections.map((each, j) => (i === j ? { ...each, ...part } : each)) });

    return html`<${Section} title=${label} actions=${state && html`<${State} of=${state} draft=${draft} />`}>
        <p class="soft small">${value.lastUpdated ? t('Last changed: {time}', { time: time(value.lastUpdated) }) : t('Not saved yet')}</p>
        <div class="stack" lang=${language}>
        <${Field} label=${t('Title')} value=${value.title} readonly=${!onChange} onValue=${onChange && ((title) => onChange({ ...value, title }))} />
        ${value.sections.map((each, i) => html`<${Field} key=${`t${i}`} label=${t('Heading {n}', { n: number(i + 1) })} value=${each.title ?? ''} readonly=${!onChange} onValue=${onChange && ((title) => section(i, { title }))} />
            <${Field} key=${`x${i}`} label=${t('Text {n}', { n: number(i + 1) })} as="textarea" value=${each.text} readonly=${!onChange} onValue=${onChange && ((text) => section(i, { text }))} />`)}
        ${onChange && html`<div class="actions"><${Button} onClick=${() => onChange({ ...value, sections: [...value.sections, { title: '', text: '' }] })}>${t('Add section')}<//>
            ${value.sections.length > 1 && html`<${Button} onClick=${() => onChange({ ...value, sections: value.sections.slice(0, -1) })}>${t('Remove last section')}<//>`}</div>`}
    </div><//>`;
}

const bodyOf = ({ title, sections, author, code }) => ({ title, sections: sections.map(({ title: heading, text }) => ({ ...(heading && { title: heading }), text })), ...(author && { author }), ...(code && { code }) });

function Editor({ type, id, language, source, onSaved }) {
    const here = [type, id, language];
    const all = useLoad(async () => {
        const [original, target, draft] = await Promise.all([language === source ? null : entry(type, id, source), entry(...here), findState(draftAt(...here))]);
        return { original, target, draft };
    }, here);
    const [typed, setTyped] = useState(null), [gone, setGone] = useState(false);
    const value = typed ?? all.data?.draft ?? all.data?.target ?? none;
    const changed = (part, text, undo) => {
        all.set({ ...all.data, ...part });
        setTyped(saved(typed));
        onSaved();
        toast(text, undo);
    };
    const publish = useSave(async ({ etag, reviewed }) => {
        const target = await putState(at(...here), { ...bodyOf(value), ...(reviewed && { reviewed }) }, etag);

        if (all.data.draft)
            await remove(draftAt(...here));
        changed({ target, draft: null }, reviewed ? t('Marked as up to date.') : t('Published.'));
    }, async () => await entry(...here) ?? none);
    const keep = useSave(async (etag) => changed({ draft: await putState(draftAt(...here), bodyOf(value), etag) }, t('Draft saved. Only admins can see it.')),
        async () => await findState(draftAt(...here)) ?? none);
    const drop = useAct(async () => {
        const { draft } = all.data;

        await remove(draftAt(...here));
        changed({ draft: null }, t('Draft discarded.'), async () => {
            await putState(draftAt(...here), bodyOf(draft));
            all.reload();
            onSaved();
        });
    });
    const suggest = useAct(async () => {
        const { original } = all.data;
        const texts = [original.title, ...original.sections.flatMap((each) => [each.title ?? '', each.text])];
        const wanted = texts.map((text, i) => [text, i]).filter(([text]) => text.trim());
        const made = await post('/ai/translation', { sourceLanguage: source.slice(0, 2), targetLanguage: language.slice(0, 2), text: wanted.map(([text]) => text) });
        const words = [...texts];

        wanted.forEach(([, i], j) => { words[i] = made.text[j]; });
        setTyped({ ...original, ...all.data.target, title: words[0], sections: original.sections.map((each, i) => ({ title: words[1 + 2 * i], text: words[2 + 2 * i] })) });
        const failed = made.items.filter((each) => each.status === 'failed').length;
        toast(failed ? plural(failed, '{n} text couldn’t be translated and was left unchanged.', '{n} texts couldn’t be translated and were left unchanged.') : t('Translation suggested. Review it before you publish.'),
            typed && (() => setTyped(typed)));
    });
    // The other admin's version, of the published text or of the draft.
    const rival = ({ conflict, leave }, name, again) => conflict && html`<${Conflict}
        rows=${[[t('Title'), conflict.title, value.title], [t('Text'), textOf(conflict), textOf(value)]].filter(([, theirs, mine]) => theirs !== mine)}
        onTheirs=${() => { all.set({ ...all.data, [name]: conflict }); setTyped(null); leave(); }} onMine=${() => again(conflict.etag)} />`;
    const problem = publish.error ?? keep.error ?? drop.error ?? suggest.error;

    useGuard(typed !== null);
    return html`<${Loaded} from=${all}>${({ original, target, draft }) => {
        const state = stateOf([original, target].filter(Boolean), language, source);
        const free = value.title.trim() !== '';

        return html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); publish.run({ etag: target?.etag }); }}>
        ${rival(publish, 'target', (etag) => publish.run({ etag }))}${rival(keep, 'draft', keep.run)}
        ${state === 'outdated' && html`<div class="notice warn"><p>${t('The original has changed since this translation was published.')}
            ${!draft && ` ${t('Update the translation, or mark it as up to date.')}`}</p>
            ${!draft && html`<p><${Button} busy=${publish.busy} disabled=${typed} onClick=${() => publish.run({ etag: target.etag, reviewed: true })}>${t('Mark as up to date')}<//></p>`}</div>`}
        <div class=${original ? 'grid two' : 'stack'}>
            ${original && html`<${Side} value=${original} language=${source} label=${languageName(source)} state="source" />`}
            <${Side} value=${value} language=${language} label=${languageName(language)} state=${state} draft=${draft} onChange=${setTyped} />
        </div>
        ${draft && target && html`<details><summary>${t('Published version')}</summary><${Side} value=${target} language=${language} label=${languageName(language)} /></details>`}
        ${problem && html`<${ErrorBox} error=${problem} />`}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${publish.busy} disabled=${!(typed || draft) || !free}>${t('Publish')}<//>
            <${Button} busy=${keep.busy} disabled=${!typed || !free} onClick=${() => keep.run(draft?.etag)}>${t('Save draft')}<//>
            ${typed && html`<${Button} onClick=${() => setTyped(null)}>${t('Discard')}<//>`}
            ${draft && !typed && html`<${Button} busy=${drop.busy} onClick=${drop.run}>${t('Discard draft')}<//>`}
            ${original && html`<${Button} busy=${suggest.busy} onClick=${suggest.run}>${t('Suggest translation')}<//>`}
            ${target && html`<${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//>`}</div>
        ${gone && html`<${ConfirmName} title=${t('Delete this language version')} name=${id} submit=${t('Delete')} act=${() => remove(at(...here))}
            onClose=${() => setGone(false)} onDone=${() => { setGone(false); setTyped(null); all.set({ ...all.data, target: null }); onSaved(); toast(t('Deleted.')); }}><//>`}
    </form>`;
    }}<//>`;
}

function Create({ type, language, onClose }) {
    const [id, setId] = useState('');
    const free = /^[a-z0-9][a-z0-9-]*$/.test(id);

    return html`<${Dialog} title=${t('New entry')} submit=${t('Continue')} disabled=${!free} onClose=${onClose} onSubmit=${() => { onClose(); setTimeout(() => navigate(`/content${queryOf({ type, language, key: id })}`)); }}>
        <${Field} label=${t('Key')} hint=${t('Lowercase letters, digits and hyphens. The same in every language.')} value=${id} onValue=${setId} autofocus />
    <//>`;
}

// The versions of one entry. A search finds an entry by its key first, if it exists in the default language.
async function versionsOf(type, key, source) {
    const { resources: [found] } = await get(`/cms/${type}/map/${source}${queryOf({ search: key, _count: 1 })}`);

    return found?.source?.key === key ? found.languages : [];
}

const draftsOf = async (type) => (await get(`${DRAFTS}${queryOf({ type })}`)).resources;

function Entry({ type, id, language, source, languages, go }) {
    const known = useLoad(() => Promise.all([versionsOf(type, id, source), draftsOf(type)]), [type, id]);
    const label = (tag) => {
        if (!known.data)
            return languageName(tag);
        const [versions, drafts] = known.data, draft = drafts.some((each) => each.key === id && each.language === tag);

        return `${languageName(tag)} – ${stateText(stateOf(versions, tag, source), draft)}`;
    };

    return html`<${Page} title=${id} back=${[`/content${queryOf({ type })}`, t('Content')]}>
        <div class="filters few"><${Field} label=${t('Language')} as="select" value=${language} onValue=${(value) => go({ language: value, key: id })}>
            ${languages.map((tag) => html`<option value=${tag}>${label(tag)}</option>`)}<//></div>
        <${Editor} key=${`${type} ${id} ${language}`} type=${type} id=${id} language=${language} source=${source} onSaved=${known.reload} /><//>`;
}

const COLUMNS_MAX = 4; // languages with a column each

export function Content({ query }) {
    const locales = useLoad(() => get('/locales'));
    const source = locales.data?.defaultLanguage, languages = locales.data?.languages ?? [], others = languages.filter((tag) => tag !== source);
    const type = named(query.type) ?? 'article', key = named(query.key);
    const [todo, todoLanguage] = query.show in todos ? [query.show, named(query.in)] : [], onlyDrafts = query.show === 'drafts';
    const [search, setSearch] = useState(query.search ?? ''), [create, setCreate] = useState(false);
    const settled = useSettled(search.trim());
    // Without a filter, the second language also finds entries that lack the default one.
    const target = todoLanguage ?? others[0] ?? source;
    const drafts = useLoad(() => draftsOf(type), [type, key]);
    const list = useRows(target && `/cms/${type}/map/${target}`, { search: settled, translation: todo }, [type, target, todo, settled]);
    const address = (part) => `/content${queryOf({ type, show: onlyDrafts ? 'drafts' : todo, in: todoLanguage, search: settled, ...part })}`, go = (part) => navigate(address(part));
    const draftIn = (row, tag) => drafts.data?.some((each) => each.key === row.key && each.language === tag);
    // Without tab stops, of which a list would have hundreds: the entry has the languages, too.
    const cell = (row, tag) => html`<${Link} tabindex="-1" to=${address({ key: row.key, language: tag })}><span class="hidden">${languageName(tag)}: </span>
        <span><${State} of=${stateOf(row.languages, tag, source)} draft=${draftIn(row, tag)} /></span><//>`;
    // One row for each entry with a draft. Those that are not published are not in the list, which they precede.
    const drafted = [...new Map((drafts.data ?? []).map((each) => [each.key, each])).values()];
    const unpublished = onlyDrafts || todo || settled ? [] : drafted.filter((each) => each.languages.length === 0);
    const rowsOf = ({ resources, start }) => (onlyDrafts ? drafted : [...start === 0 ? unpublished : [],
        ...resources.map(({ source: original, target: other, languages: known }) => ({ ...original ?? other, languages: known }))]);
    const countText = (n) => plural(n, '{n} entry', '{n} entries') + (unpublished.length ? `, ${plural(unpublished.length, '{n} unpublished', '{n} unpublished')}` : '');

    useEffect(() => { if (!key) navigate(address({}), { replace: true }); }, [settled]);
    if (key && source)
        return html`<${Entry} type=${type} id=${key} language=${named(query.language) ?? source} source=${source} languages=${languages} go=${go} />`;
    return html`<${Page} title=${t('Content')} actions=${html`<${Button} kind="primary" onClick=${() => setCreate(true)}>${t('New entry')}<//>`}>
        <${Loaded} from=${locales}>${() => html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('Search')} type="search" value=${search} onValue=${setSearch} />
            <${Field} label=${t('Type')} as="select" value=${type} onValue=${(value) => go({ type: value })}>${[...new Set([...TYPES, type])].map((each) => html`<option value=${each}>${each}</option>`)}<//>
            <${Field} label=${t('Show')} as="select" value=${onlyDrafts ? 'drafts' : todo ? `${todo} ${todoLanguage}` : ''} onValue=${(value) => { const [show, tag] = value.split(' '); go({ show, in: tag }); }}>
                <option value="">${t('All entries')}</option><option value="drafts">${t('Drafts')}</option>
                ${others.flatMap((tag) => Object.entries(todos).map(([name, text]) => html`<option value=${`${name} ${tag}`}>${t(text, { language: languageName(tag) })}</option>`))}<//>
        </form>`}<//>
        <${Loaded} from=${list}>${(data) => html`<div class="stack">${!onlyDrafts && html`<${Count} list=${list} text=${countText} />`}
            <${Table} label=${t('Content')} rows=${rowsOf(data)} more=${list.more && !onlyDrafts} busy=${list.busy} onMore=${list.next} columns=${[
                    { title: t('Entry'), cell: (row) => html`<${Link} to=${address({ key: row.key, language: todoLanguage ?? (onlyDrafts ? row.language : undefined) })}>${row.title}<//><br /><code class="soft">${row.key}</code>` },
                    ...languages.length <= COLUMNS_MAX
                        ? [source, ...others].map((tag) => ({ title: languageName(tag), cell: (row) => cell(row, tag) }))
                        : [{ title: t('Languages'), cell: (row) => [source, ...others].map((tag) => html`<span class="small">${languageName(tag)}</span> ${cell(row, tag)} `) }],
                ]} empty=${settled || todo || onlyDrafts ? html`<${Empty} title=${t('No results')}><p><${Button} onClick=${() => { setSearch(''); navigate(`/content${queryOf({ type })}`); }}>${t('Clear filters')}<//></p><//>`
                    : html`<${Empty} title=${t('No content of this type')}><p>${t('Create an entry, or import a file with atriumctl.')}</p><//>`} /></div>`}<//>
        ${create && html`<${Create} type=${type} language=${source} onClose=${() => setCreate(false)} />`}
    <//>`;
}
