// contrast.js - the contrast of a color on the hosted pages' backgrounds (WCAG 2.2; settingsd/color.h).
export const grounds = { light: ['#f3f5f7', '#ffffff'], dark: ['#111418', '#1a1f25'] };
export const CONTRAST_MIN = 4.5;

export const isColor = (text) => /^#[0-9a-f]{6}$/i.test(text);

function luminance(color) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
        const value = parseInt(color.slice(at, at + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const between = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

/**
 * Returns the lower contrast on the two backgrounds of a scheme, cut to two digits like the server's; null: not a
 * color.
 */
export const contrast = (color, scheme) => (isColor(color)
    ? Math.floor(Math.min(...grounds[scheme].map((each) => between(luminance(color), luminance(each)))) * 100) / 100 : null);

/** Returns the closest color on the way to black (light) or white (dark) that is readable in a scheme. */
export function readable(color, scheme) {
    const channels = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)), end = scheme === 'light' ? 0 : 255;
    const mixed = (part) => `#${channels.map((each) => Math.round(each + (end - each) * part).toString(16).padStart(2, '0')).join('')}`;
    let part = 0;

    while (part < 1 && contrast(mixed(part), scheme) < CONTRAST_MIN)
        part += 0.02;
    return mixed(Math.min(part, 1));
}
