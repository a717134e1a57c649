import { afterEach, vi } from "vitest"

// Workers keep their modules between files: a variable that a test replaced must not reach the next file.
afterEach(() => void vi.unstubAllEnvs())
