export declare function bundle(root: string, into: string): Promise<string[]>
export declare function bundlePage(root: string, into: string): Promise<string[]>
