// i18n.js - the texts in three languages, and dates and numbers as they are written in them.
//
// A text is named by its English words. t() takes them literally, or what N() has marked, so that
// check_texts.pl finds each and asks for it in the other languages.
import de from '../text/de.json';
import es from '../text/es.json';

const texts = { en: {}, de, es };
const KEY = 'atrium.console.language';

export const languages = [['en', 'English'], ['de', 'Deutsch'], ['es', 'Español']];

function choose() {
    const wanted = [localStorage.getItem(KEY), ...navigator.languages];

    return wanted.map((tag) => tag?.slice(0, 2)).find((tag) => texts[tag]) ?? 'en';
}

let language = choose();

export const currentLanguage = () => language;

export function setLanguage(tag) {
    language = tag;
    localStorage.setItem(KEY, tag);
    document.documentElement.lang = tag;
}
document.documentElement.lang = language;

/** Marks English words that t() is given later. */
export const N = (text) => text;

/** The text in the language of the person; {name} in it becomes the value of that name. */
export function t(text, values = {}) {
    return (texts[language][text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

export function time(text) {
    return text ? new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
        .format(new Date(text)) : '–';
}

export const day = (text) => (text
    ? new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(text)) : '–');

export const number = (value) => new Intl.NumberFormat(language).format(value);

export function bytes(size) {
    if (size === null || size === undefined)
        return '–';
    const unit = size < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(size) / 3));
    const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

    return new Intl.NumberFormat(language, { style: 'unit', unit: names[unit],
        unitDisplay: 'short', maximumFractionDigits: 1 }).format(size / 1000 ** unit);
}

export const languageName = (tag) => {
    try {
        return new Intl.DisplayNames(language, { type: 'language' }).of(tag);
    } catch {
        return tag;
    }
};
