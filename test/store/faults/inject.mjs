// Loaded before the store (node --import): counts its calls of the file system, and does something at one of them.
// A call is counted only while a fault is armed, and only if it is about a path under `.hivemind`.
import childProcess from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const record = process.env.DISK_RECORD ? await import("./record.mjs") : undefined
const original = { ...fs }
const originalPromises = { ...fs.promises }
/** Descriptors of files under `.hivemind`. */
const watched = new Set()
let fault
let count = 0
let names = []

/**
 * At call `at` of those that `only` names (all if left out):
 * `kill`, `stop`: this process, before the call. `fail`: with `code`, instead of the call. `late`: with `code`, after it.
 * `short`: only half of what should be written is. `tear`: the same, and this process is killed.
 * `under`: only calls with this text in their path. `stays`: the same happens to every later one of these calls.
 */
globalThis.faults = {
  arm(next) {
    fault = next
    count = 0
    names = []
  },
  /** Returns the names of the calls that were counted. */
  disarm() {
    fault = undefined
    return names
  },
}

/** What to do at this call, or undefined: just call. */
function strike(name, target) {
  if (fault === undefined || !isWatched(target)) return undefined
  if (fault.only !== undefined && !fault.only.includes(name)) return undefined
  if (fault.under !== undefined && !String(target).includes(fault.under)) return undefined
  names.push(name)
  count++
  const isHit = fault.stays ? count >= fault.at : count === fault.at
  if (!isHit) return undefined
  const { do: what } = fault
  if (what === "kill") process.kill(process.pid, "SIGKILL")
  if (what === "stop") {
    original.writeSync(1, `${JSON.stringify({ event: "stopping", call: name })}\n`)
    process.kill(process.pid, "SIGSTOP")
    return undefined
  }
  return what
}

function isWatched(target) {
  if (typeof target === "number") return watched.has(target)
  if (typeof target === "object" && target !== null && "fd" in target) return watched.has(target.fd)
  return String(target).includes(".hivemind")
}

function failure(name, target) {
  const { code } = fault
  const path = typeof target === "string" ? target : undefined
  return Object.assign(new Error(`${code}: injected, ${name} ${path ?? ""}`), {
    code,
    errno: -1,
    syscall: name,
    path,
  })
}

/** Opening for writing may make the file; not so if it must not be there yet, and is. */
function openName(path, flags = "r") {
  const { O_CREAT, O_EXCL } = fs.constants
  const isNew = typeof flags === "number" ? (flags & O_EXCL) > 0 : flags.includes("x")
  const isReading = typeof flags === "number" ? (flags & O_CREAT) === 0 : flags === "r"
  return isReading || (isNew && original.existsSync(path)) ? "open" : "create"
}

function half(buffers) {
  const whole = Buffer.concat(buffers)
  return whole.subarray(0, whole.length >> 1)
}

function killIfTorn(what) {
  if (what === "tear") process.kill(process.pid, "SIGKILL")
}

// Starting a program, such as git, is a step of its own. If it is to fail, the program is killed.
const { spawn } = childProcess
childProcess.spawn = (...args) => {
  const what = strike("spawn", ".hivemind")
  const child = spawn(...args)
  if (what === "fail") child.kill("SIGKILL")
  return child
}

// Calls that return at once.
for (const name of [
  "openSync",
  "closeSync",
  "readSync",
  "fsyncSync",
  "fdatasyncSync",
  "ftruncateSync",
  "statSync",
  "lstatSync",
  "fstatSync",
  "readdirSync",
  "renameSync",
  "linkSync",
  "symlinkSync",
  "readlinkSync",
  "realpathSync",
  "unlinkSync",
  "rmdirSync",
  "mkdirSync",
  "utimesSync",
  "futimesSync",
  "chmodSync",
  "accessSync",
  "copyFileSync",
  "readFileSync",
]) {
  const call = original[name]
  fs[name] = (...args) => {
    const short = name === "openSync" ? openName(args[0], args[1]) : name.replace("Sync", "")
    const what = strike(short, args[0])
    if (what === "fail") throw failure(short, args[0])
    const ended = record?.began(short, args)
    const result = call(...args)
    ended?.(result)
    if (name === "openSync" && isWatched(args[0])) watched.add(result)
    if (name === "closeSync") watched.delete(args[0])
    if (what !== "late") return result
    if (name === "openSync") original.closeSync(result)
    throw failure(short, args[0])
  }
}
fs.realpathSync.native = original.realpathSync.native

fs.rmSync = (path, options = {}) => {
  if (options.recursive) {
    const ended = original.existsSync(path) ? record?.began("unlink", [path]) : undefined
    original.rmSync(path, options)
    return ended?.()
  }
  try {
    fs.unlinkSync(path)
  } catch (error) {
    if (!options.force || error.code !== "ENOENT") throw error
  }
}

// Says false where it cannot tell.
fs.existsSync = (path) => {
  const what = strike("exists", path)
  return what === "fail" || what === "late" ? false : original.existsSync(path)
}

fs.writeSync = (fd, data, offset = 0, length = undefined, position = undefined) => {
  const what = strike("write", fd)
  if (what === "fail") throw failure("write", fd)
  const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data).subarray(offset)
  if (what === undefined) {
    const count = original.writeSync(fd, bytes, 0, length, position)
    record?.wrote(fd, bytes.subarray(0, count))
    return count
  }
  if (what === "late") {
    original.writeSync(fd, bytes)
    throw failure("write", fd)
  }
  const written = original.writeSync(fd, half([bytes]))
  killIfTorn(what)
  return written
}

// In steps, as the system sees it.
fs.writeFileSync = (path, data, options) => {
  const { flag = "w" } = typeof options === "object" && options !== null ? options : {}
  if (typeof path === "number" || !isWatched(path)) {
    original.writeFileSync(path, data, options)
    return typeof path === "number" ? record?.wrote(path, Buffer.from(data)) : undefined
  }
  const fd = fs.openSync(path, flag)
  try {
    const bytes = Buffer.from(data)
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at)
  } finally {
    fs.closeSync(fd)
  }
}
fs.appendFileSync = (path, data, options) => {
  if (typeof path !== "number") return fs.writeFileSync(path, data, { ...options, flag: "a" })
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(path, bytes, at)
}

// Calls that call back.
for (const name of ["close", "read", "fsync", "fdatasync", "stat", "fstat", "rename", "unlink", "link"]) {
  const call = original[name]
  fs[name] = (...args) => {
    const done = args.pop()
    const what = strike(name, args[0])
    if (what === "fail") return process.nextTick(done, failure(name, args[0]))
    const ended = record?.began(name, args)
    call(...args, (error, ...results) => {
      if (!error) ended?.()
      if (name === "close") watched.delete(args[0])
      done(what === "late" ? failure(name, args[0]) : error, ...results)
    })
  }
}

function writevWith(fd, buffers, done) {
  const what = strike("write", fd)
  if (what === "fail") return process.nextTick(done, failure("write", fd))
  if (what === undefined)
    return original.writev(fd, buffers, (error, count, ...results) => {
      if (!error) record?.wrote(fd, Buffer.concat(buffers).subarray(0, count))
      done(error, count, ...results)
    })
  if (what === "late")
    return original.writev(fd, buffers, (error, ...results) =>
      done(error ?? failure("write", fd), ...results),
    )
  original.writev(fd, [half(buffers)], (...results) => {
    killIfTorn(what)
    done(...results)
  })
}
fs.writev = (fd, buffers, position, done) =>
  writevWith(fd, buffers, typeof position === "function" ? position : done)
fs.write = (fd, data, ...rest) => {
  const done = rest.pop()
  const bytes = typeof data === "string" ? Buffer.from(data) : data.subarray(rest[0] ?? 0, undefined)
  writevWith(fd, [bytes], done)
}

// Calls that return a promise.
for (const name of [
  "mkdir",
  "rename",
  "unlink",
  "link",
  "rm",
  "rmdir",
  "stat",
  "lstat",
  "readdir",
  "readFile",
  "access",
  "realpath",
  "utimes",
]) {
  const call = originalPromises[name]
  fs.promises[name] = async (...args) => {
    const what = strike(name, args[0])
    if (what === "fail") throw failure(name, args[0])
    const ended = record?.began(name, args)
    const result = await call(...args)
    ended?.(result)
    if (what === "late") throw failure(name, args[0])
    return result
  }
}

const handle = await originalPromises.open(new URL(import.meta.url), "r")
const prototype = Object.getPrototypeOf(handle)
await handle.close()

fs.promises.open = async (path, ...rest) => {
  const name = openName(path, rest[0])
  const what = strike(name, path)
  if (what === "fail") throw failure("open", path)
  const ended = record?.began(name, [path, ...rest])
  const file = await originalPromises.open(path, ...rest)
  ended?.(file)
  if (isWatched(path)) watched.add(file.fd)
  if (what === "late") {
    await file.close()
    throw failure("open", path)
  }
  return file
}

for (const [method, name] of [
  ["sync", "fsync"],
  ["datasync", "fdatasync"],
  ["close", "close"],
  ["read", "read"],
  ["stat", "fstat"],
]) {
  const call = prototype[method]
  prototype[method] = async function (...args) {
    const { fd } = this
    const what = strike(name, fd)
    if (what === "fail") throw failure(name, fd)
    const ended = record?.began(name, [fd])
    const result = await call.apply(this, args)
    ended?.()
    if (method === "close") watched.delete(fd)
    if (what === "late") throw failure(name, fd)
    return result
  }
}

const writeTo = prototype.write
prototype.write = async function (data, ...rest) {
  const what = strike("write", this.fd)
  if (what === "fail") throw failure("write", this.fd)
  if (what === undefined) {
    const result = await writeTo.call(this, data, ...rest)
    record?.wrote(this.fd, Buffer.from(data).subarray(0, result.bytesWritten))
    return result
  }
  const bytes = Buffer.from(data)
  const result = await writeTo.call(this, what === "late" ? bytes : half([bytes]))
  if (what === "late") throw failure("write", this.fd)
  killIfTorn(what)
  return result
}
prototype.writeFile = async function (data) {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length; ) at += (await this.write(bytes.subarray(at))).bytesWritten
}
fs.promises.writeFile = async (path, data, options) => {
  const { flag = "w" } = typeof options === "object" && options !== null ? options : {}
  const file = await fs.promises.open(path, flag)
  try {
    await file.writeFile(data)
  } finally {
    await file.close()
  }
}
fs.promises.appendFile = (path, data) => fs.promises.writeFile(path, data, { flag: "a" })

syncBuiltinESMExports()
