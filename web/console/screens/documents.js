// documents.js - files: upload, pictures, public links.
import { call, patch, remove, upload } from '../lib/api.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { bytes, plural, t, time } from '../lib/i18n.js';
import { Badge, Button, ConfirmName, copy, Count, Dialog, Empty, ErrorBox, errorTitle, Facts, Field, Loaded, Page, Switch, Table, toast, useAct, useGuard, useLoad, useRows } from '../lib/ui.js';

// Types that browsers only draw; SVG can run scripts.
const pictures = /^image\/(png|jpeg|webp|gif|avif)$/;

function Upload({ onDone }) {
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
                toast(t('“{name}” is uploaded.', { name }));
            } catch (error) {
                if (signal.aborted)
                    break;
                setFailed((was) => [...was, { name, error }]);
            }
        }
        set(null);
        onDone();
    };

    useGuard(state !== null, t('Leave? The upload under way is cancelled.'));
    useEffect(() => () => stop.current?.abort(), []);
    return html`<div class="stack">
        <div><input type="file" multiple hidden ref=${input} aria-label=${t('Files')} onChange=${(event) => {
            begin([...event.target.files]);
            event.target.value = '';
        }} /><${Button} kind="primary" disabled=${state} onClick=${() => input.current.click()}>${t('Upload files')}<//></div>
        ${state && html`<div class="card"><p>${t('Uploading “{name}”', { name: state.name })}</p>
            <progress max="1" value=${state.done} aria-label=${t('Uploading “{name}”', { name: state.name })} />
            <div><${Button} onClick=${() => stop.current.abort()}>${t('Cancel')}<//></div></div>`}
        ${failed.length > 0 && html`<div class="notice bad" role="alert"><p><strong>${t('Not uploaded:')}</strong></p>
            ${failed.map(({ name, error }) => html`<p class="detail">${name}: ${errorTitle(error)} ${error.message}</p>`)}</div>`}
    </div>`;
}

// The picture is a blob URL, because its request needs the token.
function Picture({ id, name }) {
    const picture = useLoad(async () => (await call('GET', `/document/${id}?width=960&height=960&fit=inside`, { raw: true })).data, [id]);
    const [url, set] = useState(null);

    useEffect(() => {
        const made = picture.data && URL.createObjectURL(picture.data);

        set(made);
        return () => made && URL.revokeObjectURL(made);
    }, [picture.data]);
    return html`<${Loaded} from=${picture}>${() => url && html`<img class="thumb" src=${url} alt=${name} />`}<//>`;
}

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
    const open = useAct((isPublic) => change({ isPublic }, isPublic ? t('The link works from now on.') : t('The link does not work any more.')));

    return html`<${Dialog} title=${file.fileName} close=${t('Close')} onClose=${onClose} onSubmit=${rename.run} submit=${t('Rename')} busy=${rename.busy}
        error=${rename.error} disabled=${!name.trim() || name === file.fileName}>
        ${pictures.test(file.contentType) && file.size !== null && html`<${Picture} id=${file.id} name=${file.fileName} />`}
        <${Facts} rows=${[[t('Type'), file.contentType], [t('Size'), bytes(file.size)], [t('By'), file.author.display ?? file.author.reference], [t('Changed'), time(file.lastUpdated)]]} />
        <${Field} label=${t('File name')} value=${name} onValue=${setName} />
        <div class="head"><span><strong>${t('Public link')}</strong><br /><span class="hint">${t('Whoever has it can read the file, without signing in.')}</span></span>
            <${Switch} label=${t('Public link')} on=${Boolean(file.publicToken)} busy=${open.busy} onSwitch=${open.run} /></div>
        ${open.error && html`<${ErrorBox} error=${open.error} />`}
        ${link && html`<p class="code">${link}</p><div><${Button} onClick=${() => copy(link)}>${t('Copy the link')}<//></div>`}
    <//>`;
}

export function Documents() {
    const [sort, setSort] = useState('-_lastUpdated'), [open, setOpen] = useState(null), [gone, setGone] = useState(null);
    const list = useRows('/document', { _sort: sort }, [sort]);

    return html`<${Page} title=${t('Documents')} wide>
        <${Upload} onDone=${list.reload} />
        <div class="filters few"><${Field} label=${t('Order')} as="select" value=${sort} onValue=${setSort}>
            <option value="-_lastUpdated">${t('Newest first')}</option><option value="fileName">${t('By name')}</option><option value="contentType">${t('By type')}</option><//></div>
        <${Loaded} from=${list}>${(data) => html`<div class="stack"><${Count} list=${list} text=${(n) => plural(n, '{n} document', '{n} documents')} />
            <${Table} label=${t('Documents')} rows=${data.resources} more=${list.more} busy=${list.busy} onMore=${list.next} columns=${[
                    { title: t('File'), cell: (row) => html`<${Button} kind="quiet start" onClick=${() => setOpen(row)}>${row.fileName}<//>` },
                    { title: t('Type'), cell: (row) => row.contentType },
                    { title: t('Size'), kind: 'number', cell: (row) => bytes(row.size) },
                    { title: t('By'), cell: (row) => row.author.display ?? '–' },
                    { title: t('Changed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
                    { title: t('Link'), cell: (row) => (row.publicToken ? html`<${Badge} kind="warn">${t('public')}<//>` : '–') },
                    { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
                ]} empty=${html`<${Empty} title=${t('No document yet')}><p>${t('Upload files, or let an app do it.')}</p><//>`} /></div>`}<//>
        ${open && html`<${Show} row=${open} onClose=${() => setOpen(null)} onChanged=${list.reload} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete the document')} name=${gone.fileName} submit=${t('Delete')} act=${() => remove(`/document/${gone.id}`)}
            onClose=${() => setGone(null)} onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}>
            <p>${t('The file is gone for good. This cannot be undone.')}</p><//>`}
    <//>`;
}
