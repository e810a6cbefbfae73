// receiver.cjs PORT - receives OTLP over HTTP/JSON and accepts only what OpenTelemetry's schema allows.
//
// The schema is the generated protobuf code in OpenTelemetry's package for Node.js. Each span of a valid request is a line
// "span {...}" on stdout with its resource's attributes; an invalid request is a line "INVALID why". POST /mode/NAME selects the
// next responses: "take", "busy" (503), "refuse" (400), "hang" (none), "slow" (accepted after half a second), "partial" (all
// but one span). POST /bot is a bot: "bot TRACEPARENT TRACESTATE".
const http = require('node:http');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const npm = require('../support/npm.cjs');

const modules = npm('otlp').folder('@opentelemetry/otlp-transformer');
const root = require(path.join(modules, 'build/src/generated/root.js'));
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

let mode = 'take';

function insist(condition, why) {
    if (!condition)
        throw new Error(why);
}

// OTLP's JSON has ids in hex instead of protobuf's base64.
function hexToBase64(span, key, bytes, required) {
    if (!(key in span) && !required)
        return;
    insist(new RegExp(`^[0-9a-f]{${2 * bytes}}$`).test(span[key]), `${key} is ${span[key]}`);
    insist(!/^0+$/.test(span[key]), `${key} is zero`);
    span[key] = Buffer.from(span[key], 'hex').toString('base64');
}

function checkSpan(span) {
    hexToBase64(span, 'traceId', 16, true);
    hexToBase64(span, 'spanId', 8, true);
    hexToBase64(span, 'parentSpanId', 8, false);
    insist(typeof span.name === 'string' && span.name !== '', 'a span without a name');
    insist(span.kind >= 1 && span.kind <= 5, `kind is ${span.kind}`);
    for (const key of ['startTimeUnixNano', 'endTimeUnixNano'])
        insist(/^[0-9]{19}$/.test(span[key]), `${key} is ${span[key]}`);
    insist(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), 'it ends before its start');
    insist(Math.abs(Number(BigInt(span.endTimeUnixNano) / 1000000n) - Date.now()) < 120000, 'not now');
    for (const { key } of span.attributes)
        insist(span.attributes.filter((other) => other.key === key).length === 1, `${key} stands twice`);
}

// Unknown members disappear in the binary form, which reveals them.
function checkRequest(body) {
    const copy = JSON.parse(body);

    for (const { scopeSpans } of copy.resourceSpans)
        scopeSpans.forEach(({ spans }) => spans.forEach(checkSpan));
    const complaint = Request.verify(Request.fromObject(copy));
    insist(!complaint, complaint);
    const back = Request.toObject(Request.decode(Request.encode(Request.fromObject(copy)).finish()),
        { longs: String, bytes: String });
    insist(isDeepStrictEqual(back, copy), `changed: ${JSON.stringify(back)} ${JSON.stringify(copy)}`);
}

function plain(attributes) {
    return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function print(body) {
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
        for (const { spans } of scopeSpans)
            for (const span of spans)
                console.log('span ' + JSON.stringify({ ...span, attributes: plain(span.attributes),
                    resource: plain(resource.attributes) }));
}

function answer(response, status, body) {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
}

function take(request, response, body) {
    try {
        insist(request.headers['content-type'] === 'application/json', request.headers['content-type']);
        checkRequest(body);
        print(body);
    } catch (error) {
        console.log(`INVALID ${error.message}`);
    }
    answer(response, 200, mode === 'partial' ? { partialSuccess: { rejectedSpans: '1' } } : {});
}

function serve(request, response, body) {
    const [, first, name] = request.url.split('/');

    if (first === 'bot') {
        console.log(`bot ${request.headers.traceparent} ${request.headers.tracestate}`);
        answer(response, 200, {});
    } else if (first === 'mode') {
        mode = name;
        answer(response, 200, {});
    } else if (mode === 'busy' || mode === 'refuse') {
        console.log(`told ${mode}`);
        answer(response, mode === 'busy' ? 503 : 400, {});
    } else if (mode === 'hang') {
        console.log('told hang');
    } else {
        setTimeout(() => take(request, response, body), mode === 'slow' ? 500 : 0);
    }
}

http.createServer((request, response) => {
    const parts = [];

    request.on('data', (part) => parts.push(part));
    request.on('end', () => serve(request, response, Buffer.concat(parts).toString()));
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
