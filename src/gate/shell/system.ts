import { programKind } from "./command-kind.ts"
import { judgeRemoval } from "./deletes.ts"
import { childFrame } from "./frame.ts"
import { judgeHiveWords } from "./hive-words.ts"
import { parseOptions, setOf } from "./options.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown, readable, UNKNOWN } from "./unknown-text.ts"

/** Disks, the machine itself, its processes, and what runs in containers and clouds. */
export const system: Programs = {
  ...disks("sfdisk gdisk sgdisk cfdisk blkdiscard badblocks"),
  // On an ordinary file they make an image or a swap file.
  ...disks("mkfs mke2fs mkswap", (args) => {
    const [target = "/dev/"] = parseOptions(args, MKFS_VALUED).operands
    return isKnown(target) && !target.startsWith("/dev/")
  }),
  shred: ({ args, frame, run }) => {
    run.addKind("write")
    for (const path of parseOptions(args, setOf("-n -s --iterations --size")).operands) {
      run.writes(path, frame)
      judgeRemoval(path, frame, run, false)
    }
    return ""
  },
  ...disks("lvremove vgremove pvremove"),
  ...disks("fdisk parted", (args) => args.some((arg) => /^(-l|--list|print)$/.test(arg))),
  ...disks("wipefs", (args) => args.length < 2 || args.includes("-n")),
  ...disks("diskutil", (args) => !/erase|partition|zero|reformat/i.test(args[0] ?? "")),
  ...disks("cryptsetup", (args) => !/luksFormat|erase/i.test(args.join(" "))),
  ...disks("zpool zfs", (args) => args[0] !== "destroy"),
  ...disks("format", (args) => !args.some((arg) => /^[a-z]:/i.test(arg))),
  ...always("shutdown reboot halt poweroff", "turns the machine off"),
  ...sameFor("killall pkill", ({ args, run }) => {
    // By its name a program can be ended, and started again. Without one, or for one that fits all, it is everything.
    const names = parseOptions(args, KILL_VALUED).operands
    if (names.length === 0 || names.some((name) => /^[.*^$]*$/.test(name))) run.destroys("ends every process")
    run.addKind("other")
    return ""
  }),
  ...always("dropdb", "deletes a database"),
  dd: ({ args, frame, run }) => {
    for (const arg of args) {
      if (!arg.startsWith("of=")) continue
      run.writes(arg.slice(3), frame)
      judgeReplacement(arg.slice(3), frame, run)
    }
    run.addKind("write")
    return UNKNOWN
  },
  init: ({ args, run }) => {
    if (/^[06]$/.test(args[0] ?? "")) run.destroys("turns the machine off")
    run.addKind("other")
    return ""
  },
  systemctl: ({ args, run }) => {
    if (args.some((arg) => /^(poweroff|reboot|halt|kexec)$/.test(arg))) run.destroys("turns the machine off")
    run.addKind("other")
    return UNKNOWN
  },
  kill: ({ args, run }) => {
    if (args.slice(args[0]?.startsWith("-") ? 1 : 0).includes("-1")) run.destroys("ends every process")
    run.addKind("other")
    return ""
  },
  crontab: ({ args, run }) => {
    if (args.includes("-r")) run.destroys("deletes the user's scheduled jobs")
    run.addKind("other")
    return UNKNOWN
  },
  ...sameFor("docker podman nerdctl", runContainers),
  "docker-compose": (call) => runCompose(call.args, call),
  kubectl: (call) => {
    const dashes = call.args.indexOf("--")
    const verb = parseOptions(call.args, KUBE_VALUED).operands[0]
    if (verb === "delete" && !call.args.some((arg) => /^--dry-run(=(client|server))?$/.test(arg)))
      call.run.destroys("deletes from the cluster")
    if (verb === "exec" && dashes !== -1) return runInside(call.args.slice(dashes + 1), call)
    call.run.addKind(/^(get|describe|logs|explain|top|version)$/.test(verb ?? "") ? "read" : "other")
    return UNKNOWN
  },
  ...clouds("aws", /^(rb|delete-.*|terminate-.*|rm|purge-.*|--delete)$/),
  ...clouds(
    "gcloud gsutil az doctl heroku fly flyctl vercel wrangler supabase",
    /^(delete|destroy|rm|remove|.*:destroy|reset)$/,
  ),
  ...clouds(
    "terraform tofu terragrunt pulumi cdk serverless sls helm",
    /^(-?-?destroy|uninstall|delete|remove)$/,
    /^(repo|plugin)$/,
  ),
  ...github("gh glab", clouds("gh", /^(delete|DELETE)$/, /^(actions-cache|cache|run|label|codespace)$/)),
  // Other histories than git's: nobody is asked.
  ...sameFor("hg svn", ({ args, run }) => {
    const [verb = ""] = args
    const isUpdate = /^(up|update|checkout)$/.test(verb) && parseOptions(args).has("-C", "--clean")
    if (isUpdate || /^(revert|purge|strip)$/.test(verb))
      run.destroys("throws changes away that are in no commit")
    run.addKind("other")
    return UNKNOWN
  }),
}

function always(names: string, what: string): Programs {
  return sameFor(names, ({ run }) => {
    run.destroys(what)
    run.addKind("other")
    return ""
  })
}

function disks(names: string, isHarmless?: (args: readonly string[]) => boolean): Programs {
  return sameFor(names, ({ name, args, run }) => {
    run.addKind("other")
    if (isHarmless?.(args) || args.length === 0 || args.some((arg) => /^(--help|--version|-V)$/.test(arg)))
      return UNKNOWN
    run.destroys(`erases a disk or what is on it (${name})`)
    return UNKNOWN
  })
}

/** `made` are the things of theirs that come again by themselves, or are only listed on this machine. */
function clouds(names: string, deletes: RegExp, made?: RegExp): Programs {
  return sameFor(names, ({ name, args, run }) => {
    run.addKind(programKind(name, args) ?? "other")
    const found = args.find((arg) => deletes.test(arg))
    const [first = "", second = ""] = args.filter(isVerb)
    const isLook = LOOKS.test(first) || (/^(gh|glab)$/.test(name) && LOOKS.test(second))
    const isHarmless =
      isLook ||
      args.some((arg) => /\/(labels|assignees|reactions|caches)\b/.test(arg)) ||
      args.some((arg) => /^--(help|dryrun|dry-run)$/.test(arg)) ||
      made?.test(args[0] ?? "") === true
    if (found !== undefined && !isHarmless)
      run.destroys(`deletes what ${name} looks after (${readable(found)})`)
    return UNKNOWN
  })
}

/** A word right behind an option may be that option's value: `aws --profile list s3 rm`. */
function isVerb(arg: string, at: number, args: readonly string[]): boolean {
  return !arg.startsWith("-") && !/^--?[\w-]+$/.test(args[at - 1] ?? "")
}

/** With force they put the work tree back to what the other side has. */
function github(names: string, { gh }: Programs): Programs {
  return sameFor(names, (call) => {
    const isBack = /^(pr checkout|repo sync)\b/.test(call.args.join(" "))
    if (isBack && parseOptions(call.args).has("-f", "--force"))
      call.run.loses({ ask: "tree", cwd: call.frame.cwd })
    return gh?.(call)
  })
}

function runContainers(call: Call): string {
  const { operands } = parseOptions(call.args, DOCKER_GLOBAL, true)
  const [verb = "", ...rest] = operands
  if (verb === "compose") return runCompose(rest, call)
  const [action = ""] = rest
  if ((verb === "system" && action === "prune") || (verb === "volume" && /^(rm|remove|prune)$/.test(action)))
    call.run.destroys(`deletes containers' data (${verb} ${action})`)
  if (/^(exec|run)$/.test(verb)) {
    const { operands: words } = parseOptions(rest, DOCKER_VALUED, true)
    // What is mounted may be written.
    judgeHiveWords({ ...call, args: rest.slice(0, rest.length - words.length) }, false)
    return runInside(words.slice(1), call)
  }
  if (verb === "container" && /^(exec|run)$/.test(action))
    return runInside(parseOptions(rest.slice(1), DOCKER_VALUED, true).operands.slice(1), call)
  if (verb === "build" || verb === "buildx") call.run.addKind("build")
  call.run.addKind(/^(ps|logs|images|inspect|version|info|stats|top|port)$/.test(verb) ? "read" : "other")
  return UNKNOWN
}

function runCompose(args: readonly string[], call: Call): string {
  const [verb = "", ...rest] = parseOptions(args, COMPOSE_GLOBAL, true).operands
  const options = parseOptions(rest)
  if (verb === "down" && options.has("-v", "--volumes"))
    call.run.destroys("deletes containers' data (down -v)")
  if (/^(exec|run)$/.test(verb))
    return runInside(parseOptions(rest, DOCKER_VALUED, true).operands.slice(1), call)
  if (verb === "build") call.run.addKind("build")
  call.run.addKind(/^(ps|logs|images|config|top|port)$/.test(verb) ? "read" : "other")
  return UNKNOWN
}

/** In a container the files are its own, but what is destroyed there is gone all the same. */
function runInside(words: readonly string[], { frame, run }: Call): string {
  run.addKind("other")
  if (words.length === 0) return UNKNOWN
  return run.runProgram(words, childFrame(frame, { cwd: UNKNOWN, elsewhere: true }))
}

/** A word behind these is no verb: `terraform plan -destroy`, `gh issue list --label delete`. */
const LOOKS = /^(plan|search|list|view|show)$/
const MKFS_VALUED = setOf("-t -b -L -m -N -i -I -E -O -U -p --label --uuid --pagesize")
const KILL_VALUED = setOf("-s --signal -u -U -g -G -P -t --user --group --parent --terminal -o -y")
const KUBE_VALUED = setOf("-n --namespace --context --kubeconfig -f --filename -l --selector -o --output -c")
const DOCKER_GLOBAL = setOf("-H --host --context -c --config -l --log-level")
const COMPOSE_GLOBAL = setOf("-f --file -p --project-name --profile --env-file --project-directory")
const DOCKER_VALUED = setOf(
  "-e --env -u --user -w --workdir --env-file -v --volume -p --publish --name --network --net --entrypoint --mount " +
    "-h --hostname --label -l --platform --memory -m --cpus --add-host --restart --link --index --gpus --shm-size",
)
