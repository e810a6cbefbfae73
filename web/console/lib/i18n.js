// i18n.js - the texts in three languages, and their formats of dates and numbers.
//
// A text's key is its English text. t() takes it literally or marked by N(), so that check_texts.pl finds each text and
// checks the other languages.
import { load } from './load.js';

const texts = { en: {} };

let language = 'en';

export const currentLanguage = () => language;

/** Throws LoadError if the language's texts fail to load; the language then stays. */
export async function setLanguage(tag) {
    texts[tag] ??= await load(tag);
    language = tag;
    document.documentElement.lang = tag;
}

/** Marks an English text that is passed to t() later. */
export const N = (text) => text;

/** Translates a text; {name} in it is replaced with the value of that name. */
export function t(text, values = {}) {
    return (texts[language][text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/**
 * Translates a text with a count {n}, in the plural form by Intl.PluralRules. `one` and `other` are the English forms;
 * `other` is the key of the other languages' forms.
 */
export function plural(n, one, other) {
    const forms = texts[language][other] ?? { one, other };

    return (forms[formatter(Intl.PluralRules, {}).select(n)] ?? forms.other).replace('{n}', number(n));
}

// Making a formatter takes longer than using it, so there is one per language and style.
const formatters = {};
const formatter = (Format, options) => (formatters[language + Format.name + JSON.stringify(options)] ??= new Format(language, options));
const written = (text, options) => formatter(Intl.DateTimeFormat, options).format(new Date(text));

/** Makes the first formatter, which takes 25 ms even on a fast machine. */
export const prepare = () => number(0);

const MOMENT = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' };

/**
 * Formats a date and time with the browser's zone, so that it misleads no one elsewhere. Lines break only between date
 * and time.
 */
export const time = (text) => (text ? written(text, MOMENT).replace(/ /g, '\u00a0').replace(/,\u00a0(?!.*,)/, ', ') : '–');
/** Like time(), with seconds. */
export const exactTime = (text) => written(text, { ...MOMENT, second: '2-digit' }).replace(/ /g, '\u00a0').replace(/,\u00a0(?!.*,)/, ', ');
/** The zone of input without one. */
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
