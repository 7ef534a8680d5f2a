/** Returns what a glob import has found at a path. @throws Error while building, if a picture or a clip is missing */
export function fileIn<T>(files: Readonly<Record<string, T>>, path: string): T {
  const file = files[path]
  if (file === undefined) throw new Error(`${path} is missing`)
  return file
}
