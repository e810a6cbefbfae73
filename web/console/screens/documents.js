// documents.js - files: search, preview, upload, download, public links.
import { call, patch, query as queryOf, remove, upload } from '../lib/api.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { bytes, N, plural, t, time } from '../lib/i18n.js';
import { navigate } from '../lib/router.js';
import { Badge, Button, ConfirmName, copy, Count, Dialog, Empty, ErrorBox, errorTitle, Facts, Field, Loaded, Page, Switch, Table, toast, toasting, useAct, useGuard, useLoad, useRows, useSettled } from '../lib/ui.js';

// As the query parameter `kind` has them.
const kinds = { image: N('Picture'), pdf: N('PDF'), text: N('Text'), audio: N('Audio'), video: N('Video'), other: N('Other') };
// Those with an index.
const sorts = { '-_lastUpdated': N('Newest first'), _lastUpdated: N('Oldest first'), fileName: N('Name A to Z'), '-fileName': N('Name Z to A') };
const USUAL = '-_lastUpdated';

const PDF = 'application/pdf';
const bare = (type) => type.toLowerCase().split(';')[0].trim();
const extension = (name) => /\.(\w{1,5})$/.exec(name)?.[1].toUpperCase();

function kindOf({ contentType, fileName }) {
    const type = bare(contentType), main = type.split('/')[0];

    return type === PDF ? t(kinds.pdf) : /^application\/(json|xml)$/.test(type) ? t(kinds.text) : main !== 'other' && main in kinds ? t(kinds[main]) : extension(fileName) ?? t(kinds.other);
}

const OWNERS = { Patient: N('Patient'), Practitioner: N('Practitioner') };

function Owner({ of }) {
    const role = OWNERS[of.reference.split('/')[0]];

    return html`<span>${of.display || '–'}${role && html`<br /><span class="soft small">${t(role)}</span>`}</span>`;
}

// ---- upload ----

function useUpload(onDone) {
    const input = useRef(), stop = useRef();
    const [state, set] = useState(null), [failed, setFailed] = useState([]);
    // A failed file does not stop the others; Cancel stops all.
    const begin = async (files) => {
        const { signal } = stop.current = new AbortController();

        setFailed([]);
        for (const file of files) {
            const { name } = file;

            set({ name, done: 0 });
            try {
                await upload(file, (done) => set({ name, done }), signal);
                toast(t('“{name}” uploaded.', { name }));
            } catch (error) {
                if (signal.aborted)
                    break;
                setFailed((was) => [...was, { name, error }]);
            }
        }
        set(null);
        onDone();
    };

    useGuard(state !== null, t('Leave this screen? The upload in progress will be canceled.'));
    useEffect(() => () => stop.current?.abort(), []);
    const button = html`<input type="file" multiple hidden ref=${input} aria-label=${t('Files')} onChange=${(event) => {
        begin([...event.target.files]);
        event.target.value = '';
    }} /><${Button} kind="primary" disabled=${state} onClick=${() => input.current.click()}>${t('Upload files')}<//>`;
    const progress = html`${state && html`<div class="card"><p>${t('Uploading “{name}”', { name: state.name })}</p>
            <progress max="1" value=${state.done} aria-label=${t('Uploading “{name}”', { name: state.name })} />
            <div><${Button} onClick=${() => stop.current.abort()}>${t('Cancel')}<//></div></div>`}
        ${failed.length > 0 && html`<div class="notice bad" role="alert"><p><strong>${t('Upload failed:')}</strong></p>
            ${failed.map(({ name, error }) => html`<p class="detail">${name}: ${errorTitle(error)} ${error.message}</p>`)}</div>`}`;

    return { button, progress };
}

// ---- preview ----

const PICTURES = /^image\/(png|jpeg|webp|gif|avif)$/; // types that browsers only draw; SVG can run scripts
const TEXTS = /^(text\/(plain|csv|tab-separated-values)|application\/json)$/; // shown as they are; neither HTML nor Markdown
const PDF_MAX = 25_000_000, TEXT_MAX = 1_000_000; // bytes
const SHOWN_MAX = 100_000; // characters

const fileOf = async (id, size = '') => (await call('GET', `/document/${id}${size}`, { raw: true })).data;

// The request needs the token, so the file is a blob URL: of a type that was chosen here, whatever the service says.
function useBlob(load, on) {
    const from = useLoad(load, on), [url, set] = useState(null);

    useEffect(() => {
        const made = from.data && URL.createObjectURL(from.data);

        set(made);
        return () => made && URL.revokeObjectURL(made);
    }, [from.data]);
    return { from, url };
}

function Picture({ id, name }) {
    const { from, url } = useBlob(() => fileOf(id, '?width=960&height=960&fit=inside'), [id]);

    return html`<${Loaded} from=${from}>${() => url && html`<img class="thumb" src=${url} alt=${name} />`}<//>`;
}

function Pdf({ id, name }) {
    const { from, url } = useBlob(async () => new Blob([await fileOf(id)], { type: PDF }), [id]);

    return html`<${Loaded} from=${from}>${() => url && html`<iframe class="preview" src=${url} title=${name}></iframe>`}<//>`;
}

function Text({ id, name }) {
    const text = useLoad(async () => (await fileOf(id)).text(), [id]);

    return html`<${Loaded} from=${text}>${(all) => html`<pre class="preview" tabindex="0" role="region" aria-label=${name}>${all.slice(0, SHOWN_MAX)}</pre>
        ${all.length > SHOWN_MAX && html`<p class="hint">${t('The preview shows the beginning of the file.')}</p>`}`}<//>`;
}

function Preview({ file: { id, fileName, contentType, size } }) {
    const type = bare(contentType);
    const kind = PICTURES.test(type) ? Picture : type === PDF && size <= PDF_MAX ? Pdf : TEXTS.test(type) && size <= TEXT_MAX ? Text : null;

    if (size === null)
        return html`<p class="soft">${t('The file hasn’t been uploaded yet.')}</p>`;
    return kind ? html`<${kind} id=${id} name=${fileName} />` : html`<p class="soft">${t('There is no preview for this file. Download it to open it.')}</p>`;
}

// The type keeps browsers from opening the file.
const download = toasting(async ({ id, fileName }) => {
    const url = URL.createObjectURL(new Blob([await fileOf(id)], { type: 'application/octet-stream' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: fileName });

    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
});

function Show({ row, onClose, onChanged }) {
    const [file, setFile] = useState(row), [name, setName] = useState(row.fileName);
    const link = file.publicToken && `${location.origin}/document/public/${encodeURIComponent(file.publicToken)}`;
    const change = async (body, text) => {
        const made = await patch(`/document/${file.id}`, body);
        setFile({ ...file, fileName: made.fileName, publicToken: made.publicToken });
        toast(text);
        onChanged();
    };
    const rename = useAct(() => change({ fileName: name }, t('Renamed.')));
    const open = useAct((isPublic) => change({ isPublic }, isPublic ? t('Public link enabled.') : t('Public link disabled.')));
    const save = useAct(() => download(file));

    return html`<${Dialog} title=${file.fileName} close=${t('Close')} onClose=${onClose} onSubmit=${rename.run} submit=${t('Rename')} busy=${rename.busy}
        error=${rename.error} disabled=${!name.trim() || name === file.fileName}>
        <${Preview} file=${file} />
        ${file.size !== null && html`<div><${Button} busy=${save.busy} onClick=${save.run}>${t('Download')}<//></div>`}
        <${Facts} rows=${[[t('Owner'), html`<${Owner} of=${file.author} />`], [t('Type'), file.contentType], [t('Size'), bytes(file.size)], [t('Last changed'), time(file.lastUpdated)]]} />
        <${Field} label=${t('File name')} value=${name} onValue=${setName} />
        <div class="head"><span><strong>${t('Public link')}</strong><br /><span class="hint">${t('Anyone with the link can read the file without signing in.')}</span></span>
            <${Switch} label=${t('Public link')} on=${Boolean(file.publicToken)} busy=${open.busy} onSwitch=${open.run} /></div>
        ${open.error && html`<${ErrorBox} error=${open.error} />`}
        ${link && html`<p class="code">${link}</p><div><${Button} onClick=${() => copy(link)}>${t('Copy link')}<//></div>`}
    <//>`;
}

export function Documents({ query }) {
    const [filter, setFilter] = useState({ search: query.search ?? '', kind: query.kind in kinds ? query.kind : '', sort: query.sort in sorts ? query.sort : USUAL });
    const search = useSettled(filter.search.trim()), { kind, sort } = filter;
    const [open, setOpen] = useState(null), [gone, setGone] = useState(null);
    const list = useRows('/document', { search, kind, _sort: sort }, [search, kind, sort]);
    const { button, progress } = useUpload(list.reload);
    const change = (name) => (value) => setFilter({ ...filter, [name]: value });
    const options = (all) => Object.entries(all).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`);

    useEffect(() => navigate(`/documents${queryOf({ search, kind, sort: sort === USUAL ? '' : sort })}`, { replace: true }), [search, kind, sort]);
    return html`<${Page} title=${t('Documents')} actions=${button}>
        ${progress}
        <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('File name contains')} type="search" value=${filter.search} onValue=${change('search')} autocomplete="off" />
            <${Field} label=${t('Type')} as="select" value=${kind} onValue=${change('kind')}><option value="">${t('All')}</option>${options(kinds)}<//>
            <${Field} label=${t('Sort by')} as="select" value=${sort} onValue=${change('sort')}>${options(sorts)}<//>
        </form>
        <${Loaded} from=${list}>${(data) => html`<div class="stack"><${Count} list=${list} text=${(n) => plural(n, '{n} document', '{n} documents')} />
            <${Table} label=${t('Documents')} rows=${data.resources} more=${list.more} busy=${list.busy} onMore=${list.next} columns=${[
                    { title: t('File'), cell: (row) => html`<${Button} kind="quiet start" onClick=${() => setOpen(row)}>${row.fileName}<//>` },
                    { title: t('Owner'), cell: (row) => html`<${Owner} of=${row.author} />` },
                    { title: t('Type'), cell: kindOf },
                    { title: t('Size'), kind: 'number', cell: (row) => bytes(row.size) },
                    { title: t('Last changed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
                    { title: t('Link'), cell: (row) => (row.publicToken ? html`<${Badge} kind="warn">${t('Public')}<//>` : '–') },
                    { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
                ]} empty=${search || kind ? html`<${Empty} title=${t('No results')}><p><${Button} onClick=${() => setFilter({ ...filter, search: '', kind: '' })}>${t('Clear filters')}<//></p><//>`
                    : html`<${Empty} title=${t('No documents yet')}><p>${t('Upload files here or through an app.')}</p><//>`} /></div>`}<//>
        ${open && html`<${Show} row=${open} onClose=${() => setOpen(null)} onChanged=${list.reload} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete document')} name=${gone.fileName} submit=${t('Delete')} act=${() => remove(`/document/${gone.id}`)}
            onClose=${() => setGone(null)} onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}>
            <p>${t('The file will be permanently deleted. This can’t be undone.')}</p><//>`}
    <//>`;
}
