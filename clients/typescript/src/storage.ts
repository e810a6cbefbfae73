// storage.ts - where the tokens are kept.

/** What keeps texts: IndexedDB, a key store of the system, a file. What setItem() has kept when
 *  it ends must be what every tab gets from then on. localStorage does not promise that: a tab may
 *  read for a while what another one has replaced. */
export interface TokenStorage {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
    removeItem(key: string): Promise<void>;
}

export function memoryStorage(): TokenStorage {
    const items = new Map<string, string>();

    return {
        getItem: async (key) => items.get(key) ?? null,
        setItem: async (key, value) => void items.set(key, value),
        removeItem: async (key) => void items.delete(key),
    };
}

const STORE = 'tokens';

/** IndexedDB, on disk before a write ends: a token that a crash takes back would be used twice. */
export function browserStorage(name = 'atrium'): TokenStorage {
    let opened: Promise<IDBDatabase> | undefined;

    const open = () => opened ??= new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name, 1);
        const forget = () => { opened = undefined; };

        request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
        request.onsuccess = () => {
            request.result.onclose = forget;
            request.result.onversionchange = () => { request.result.close(); forget(); };
            resolve(request.result);
        };
        request.onerror = () => { forget(); reject(request.error); };
    });
    const run = async <T>(mode: IDBTransactionMode,
        work: (all: IDBObjectStore) => IDBRequest<T>) => {
        const transaction = (await open()).transaction(STORE, mode, { durability: 'strict' });
        const request = work(transaction.objectStore(STORE));

        return new Promise<T>((resolve, reject) => {
            transaction.oncomplete = () => resolve(request.result);
            transaction.onabort = () => reject(transaction.error);
        });
    };
    return {
        getItem: async (key) => (await run('readonly', (all) => all.get(key))) ?? null,
        setItem: async (key, value) => void await run('readwrite', (all) => all.put(value, key)),
        removeItem: async (key) => void await run('readwrite', (all) => all.delete(key)),
    };
}
