export { AtriumError, ok, type ErrorCode, type Problem } from './errors.js';
export type { components, operations, paths } from './openapi.js';
export {
    Session, type SessionOptions, type SessionState, type SignedOutReason,
} from './session.js';
export { SignIn, showPasskey, type Registered, type Role, type Step } from './signin.js';
export { browserStorage, memoryStorage, type TokenStorage } from './storage.js';
export { upload, type UploadOptions } from './upload.js';
