import { folderOf, inFolder, isBeside, nameOf, type ScannedFiles } from "../listing/scanned-files.ts"

/** Says of a document whether a site is built of it: then a link may mean a page's address, not a file. */
export function siteFolders(files: ScannedFiles): (path: string) => boolean {
  const folders = files.paths.flatMap((path) => {
    const name = nameOf(path)
    if (!SITE_FILE.test(name) || isBeside(path)) return []
    const folder = folderOf(path)
    // What lies under a folder of settings belongs to the one above it.
    return [/(^|\/)\.(vitepress|vuepress)$/.test(folder) ? folderOf(folder) : inDocs(files, folder, name)]
  })
  return (path) => folders.some((folder) => folder === "" || path.startsWith(`${folder}/`))
}

/** MkDocs keeps its pages in `docs/`, and the rest of the project is no part of the site. */
function inDocs(files: ScannedFiles, folder: string, name: string): string {
  const docs = inFolder(folder, "docs")
  return /^mkdocs\.ya?ml$/.test(name) && files.has(docs) ? docs : folder
}

const SITE_FILE =
  /^(mkdocs\.ya?ml|zensical\.toml|docusaurus\.config\.\w+|hugo\.(toml|ya?ml)|astro\.config\.\w+|_config\.ya?ml|mint\.json|antora\.ya?ml|conf\.py|gatsby-config\.\w+|theme\.config\.\w+|\.nojekyll|docfx\.json)$/
