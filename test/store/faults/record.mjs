// Loaded after inject.mjs: notes every call that changes something under `.hivemind`, or makes it durable, as a line of
// JSON in the file DISK_RECORD. All processes of a trial append to one file. power.ts replays it.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { dirname } from "node:path"

const { openSync, writeSync, fstatSync, readFileSync, existsSync, statSync } = fs
const record = openSync(process.env.DISK_RECORD, "a")

/** Adds an event that is not a call, such as that a write was acknowledged. */
globalThis.recordEvent = (event) => writeSync(record, `${JSON.stringify(event)}\n`)

const isOurs = (path) => String(path).includes("/.hivemind")
const pathOf = (fd) => fs.readlinkSync(`/proc/self/fd/${fd}`)
const isOurFile = (fd) => isOurs(pathOf(fd)) || existsSync(`${pathOf(fd)}/.hivemind`)

function created(path, isNew, fd) {
  const { ino, size } = fstatSync(fd)
  recordEvent({ do: isNew ? "create" : "truncate", path, ino, length: size })
}

/** The position behind the write tells where an appended line has landed. */
function written(fd, bytes, position) {
  if (!isOurFile(fd)) return
  const end = Number(/pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))[1])
  const at = typeof position === "number" ? position : end - bytes.length
  recordEvent({ do: "write", ino: fstatSync(fd).ino, at, bytes: bytes.toString("base64") })
}

let syncs = 0
/** A sync covers what was written before it began, and counts once it has ended. Returns the end. */
function syncing(fd) {
  if (!isOurFile(fd)) return () => {}
  const id = `${process.pid} ${syncs++}`
  const { ino } = fstatSync(fd)
  recordEvent({ do: "sync", ino, id })
  return () => recordEvent({ do: "synced", ino, id })
}

/** Events of calls that name paths. */
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
      made.unshift({ path: each, ino: statSync(each).ino })
      if (each === until) return { do: "mkdir", made }
    }
  },
}

function changed(name, args, result) {
  if (!isOurs(args[0])) return
  const event = changes[name](args, result)
  if (event !== undefined) recordEvent(event)
}

for (const name of Object.keys(changes)) {
  const [atOnce, promised] = [fs[`${name}Sync`], fs.promises[name]]
  fs[`${name}Sync`] = (...args) => {
    const result = atOnce(...args)
    changed(name, args, result)
    return result
  }
  fs.promises[name] = async (...args) => {
    const result = await promised(...args)
    changed(name, args, result)
    return result
  }
}

const isChangingOpen = (path, flags = "r") => isOurs(path) && (/[wax]/.test(flags) || (flags & 0o101) !== 0)
const hasChanged = (isNew, flags) => isNew || /w/.test(flags) || (flags & 0o1000) !== 0

const open = fs.openSync
fs.openSync = (path, flags, mode) => {
  const isNew = isChangingOpen(path, flags) && !existsSync(path)
  const fd = open(path, flags, mode)
  if (isChangingOpen(path, flags) && hasChanged(isNew, flags)) created(path, isNew, fd)
  return fd
}
const openPromised = fs.promises.open
fs.promises.open = async (path, flags, mode) => {
  const isNew = isChangingOpen(path, flags) && !existsSync(path)
  const file = await openPromised(path, flags, mode)
  if (isChangingOpen(path, flags) && hasChanged(isNew, flags)) created(path, isNew, file.fd)
  return file
}

const { rmSync, writeSync: writeNow, writeFileSync, writev, fsyncSync, fsync, fdatasync } = fs
fs.rmSync = (path, options) => {
  const isThere = options?.recursive && isOurs(path) && existsSync(path)
  rmSync(path, options) // Without `recursive` it calls unlinkSync.
  if (isThere) recordEvent({ do: "unlink", path })
}
fs.writeSync = (fd, data, offset = 0, ...rest) => {
  const count = writeNow(fd, data, offset, ...rest)
  written(fd, Buffer.from(data).subarray(offset, offset + count), rest[1])
  return count
}
fs.writeFileSync = (path, data, options) => {
  writeFileSync(path, data, options) // With a path it calls openSync and writeSync.
  if (typeof path === "number") written(path, Buffer.from(data))
}
fs.writev = (fd, buffers, done) =>
  writev(fd, buffers, (error, count, ...rest) => {
    if (count > 0) written(fd, Buffer.concat(buffers).subarray(0, count))
    done(error, count, ...rest)
  })
fs.fsyncSync = (fd) => {
  const end = syncing(fd)
  fsyncSync(fd)
  end()
}
for (const [name, call] of [
  ["fsync", fsync],
  ["fdatasync", fdatasync],
]) {
  fs[name] = (fd, done) => {
    const end = syncing(fd)
    call(fd, (error) => {
      if (!error) end()
      done(error)
    })
  }
}

const handle = await openPromised(new URL(import.meta.url), "r")
const prototype = Object.getPrototypeOf(handle)
await handle.close()
const { sync, write } = prototype
prototype.sync = async function () {
  const end = syncing(this.fd)
  await sync.call(this)
  end()
}
prototype.write = async function (data, ...rest) {
  const result = await write.call(this, data, ...rest)
  written(this.fd, Buffer.from(data).subarray(0, result.bytesWritten))
  return result
}

syncBuiltinESMExports()
