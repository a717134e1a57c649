/** The calls that change something, as inject.mjs names them. Before any other call the files are as before the next one of these. */
export const CHANGING = [
  "create",
  "write",
  "fsync",
  "fdatasync",
  "link",
  "rename",
  "unlink",
  "mkdir",
  "utimes",
]
/** Those that a full disk refuses. */
export const FILLING = ["create", "write", "fsync", "fdatasync", "link", "mkdir"]
