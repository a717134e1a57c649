/** What has another content than before, whoever changed it. */
export interface Changes {
  /** Relative to the folder, sorted. */
  changed: string[]
  /** Those of them that were not there before. */
  created: ReadonlySet<string>
}
