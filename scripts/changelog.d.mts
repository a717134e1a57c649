export function withRelease(text: string, version: string, day: string): string
export function entriesOf(text: string, version: string): string | undefined
