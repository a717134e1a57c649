// Notes every call that changes something under `.hivemind`, or makes it durable, as a line of JSON in the file
// DISK_RECORD. All processes of a trial append to one file, and power.ts replays it. inject.mjs calls it around each call.
import { existsSync, fstatSync, openSync, readFileSync, readlinkSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"

// Before inject.mjs replaces them.
const direct = { existsSync, fstatSync, readFileSync, readlinkSync, statSync, writeSync }
const file = openSync(process.env.DISK_RECORD, "a")
let syncs = 0

/** Also for events that are not calls, such as that a write was acknowledged. */
globalThis.recordEvent = (event) => direct.writeSync(file, `${JSON.stringify(event)}\n`)

/** Call it before a call; the returned function after it. */
export function began(name, args) {
  if (name === "fsync" || name === "fdatasync") return syncing(args[0])
  if (!String(args[0]).includes("/.hivemind")) return undefined
  if (name === "create") return opening(...args)
  return (result) => {
    const event = changes[name]?.(args, result)
    if (event !== undefined) recordEvent(event)
  }
}

/** The position behind the write tells where an appended line has landed. */
export function wrote(fd, bytes) {
  if (!isOurFile(fd)) return
  const end = Number(/pos:\s*(\d+)/.exec(direct.readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))[1])
  const at = end - bytes.length
  recordEvent({ do: "write", ino: direct.fstatSync(fd).ino, at, bytes: bytes.toString("base64") })
}

/** A sync covers what was written before it began, and counts once it has ended. */
function syncing(fd) {
  if (!isOurFile(fd)) return undefined
  const { ino } = direct.fstatSync(fd)
  const id = `${process.pid} ${syncs++}`
  recordEvent({ do: "sync", ino, id })
  return () => recordEvent({ do: "synced", ino, id })
}

function opening(path, flags) {
  const isNew = !direct.existsSync(path)
  return (opened) => {
    const { ino, size } = direct.fstatSync(opened.fd ?? opened)
    const isEmptied = typeof flags === "number" ? (flags & O_TRUNC) !== 0 : flags.includes("w")
    if (isNew) recordEvent({ do: "create", path, ino })
    else if (isEmptied) recordEvent({ do: "truncate", ino, length: size })
  }
}

const changes = {
  rename: ([from, to]) => ({ do: "rename", from, to }),
  link: ([from, to]) => ({ do: "link", from, to }),
  unlink: ([path]) => ({ do: "unlink", path }),
  rmdir: ([path]) => ({ do: "unlink", path }),
  mkdir([path, options], first) {
    const made = []
    const until = options?.recursive ? first : path
    if (until === undefined) return undefined
    for (let each = path; ; each = dirname(each)) {
      made.unshift({ path: each, ino: direct.statSync(each).ino })
      if (each === until) return { do: "mkdir", made }
    }
  },
}

/** A file under `.hivemind`, or the folder that it is in. */
function isOurFile(fd) {
  const path = direct.readlinkSync(`/proc/self/fd/${fd}`)
  return path.includes("/.hivemind") || direct.existsSync(`${path}/.hivemind`)
}

const O_TRUNC = 0o1000
