/**
 * The environment for a call of git that is about a folder. A hook of git, or a script around it, has variables set that
 * name another repository: those would win over the folder.
 */
export function gitEnv(more: Record<string, string> = {}, isPrivate = false): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of isPrivate ? Object.keys(env).filter(isOfGit) : OF_A_REPOSITORY) delete env[name]
  return { ...env, ...more }
}

/** Where git's configuration lies is the user's setup, not a repository's. */
function isOfGit(name: string): boolean {
  return name.startsWith("GIT_") && !/^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/.test(name)
}

const OF_A_REPOSITORY = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
]
