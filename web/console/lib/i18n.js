// i18n.js - the texts in three languages, and dates and numbers as they are written in them.
//
// A text is named by its English words. t() takes them literally, or what N() has marked, so that
// check_texts.pl finds each and asks for it in the other languages.
import { load } from './load.js';

const texts = { en: {} };

let language = 'en';

export const currentLanguage = () => language;

/** Throws LoadError where its texts do not come: the language stays. */
export async function setLanguage(tag) {
    texts[tag] ??= await load(tag);
    language = tag;
    document.documentElement.lang = tag;
}

/** Marks English words that t() is given later. */
export const N = (text) => text;

/** The text in the language of the person; {name} in it becomes the value of that name. */
export function t(text, values = {}) {
    return (texts[language][text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** The text for a count: the form that the language has for it, by Intl.PluralRules, with the count as {n}. `one` and `other` are the
 * English forms; `other` names the text, whose forms stand in the other languages by their categories. */
export function plural(n, one, other) {
    const forms = texts[language][other] ?? { one, other };

    return (forms[formatter(Intl.PluralRules, {}).select(n)] ?? forms.other).replace('{n}', number(n));
}

// Making a formatter takes longer than anything that is done with it: one for each language and way to write.
const formatters = {};
const formatter = (Format, options) => (formatters[language + Format.name + JSON.stringify(options)] ??= new Format(language, options));
const written = (text, options) => formatter(Intl.DateTimeFormat, options).format(new Date(text));

/** Makes the first formatter, which takes 25 ms of a fast machine however small it is. */
export const prepare = () => number(0);

const MOMENT = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' };

/** Date and time in the browser's zone, which is named: a reader elsewhere is not misled. A line breaks only between date and time. */
export const time = (text) => (text ? written(text, MOMENT).replace(/ /g, '\u00a0').replace(/,\u00a0(?!.*,)/, ', ') : '–');
/** The zone of what is typed without one. */
export const zone = () => formatter(Intl.DateTimeFormat, {}).resolvedOptions().timeZone;
export const day = (text) => (text ? written(text, { dateStyle: 'medium' }) : '–');
export const hourAt = (text) => written(text, { hour: 'numeric', minute: '2-digit' });
export const number = (value) => formatter(Intl.NumberFormat, { style: 'decimal' }).format(value);

export function bytes(size) {
    if (size === null || size === undefined)
        return '–';
    const unit = size < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(size) / 3));
    const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

    return formatter(Intl.NumberFormat, { style: 'unit', unit: names[unit],
        unitDisplay: 'short', maximumFractionDigits: 1 }).format(size / 1000 ** unit);
}

export const languageName = (tag) => {
    try {
        return formatter(Intl.DisplayNames, { type: 'language' }).of(tag);
    } catch {
        return tag;
    }
};
