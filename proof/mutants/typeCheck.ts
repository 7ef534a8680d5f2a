import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Returns whether `npm run check` would reject a file if it had another text. */
export function createTypeCheck(): (file: string, text: string) => boolean {
  const { config } = ts.parseConfigFileTextToJson('', readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT)
  // The text of other files does not change. Files that were changed before are read again.
  const unchanged = new Map<string, ts.SourceFile>()
  let earlier: ts.Program | undefined
  const keep = (name: string, source: ts.SourceFile | undefined) => {
    if (source) unchanged.set(name, source)
    return source
  }
  return (file, text) => {
    const changed = path.join(ROOT, file)
    const host = ts.createCompilerHost(options)
    const { getSourceFile } = host
    host.getSourceFile = (name, target) => {
      if (path.resolve(name) === changed) return ts.createSourceFile(name, text, target)
      return unchanged.get(name) ?? keep(name, getSourceFile(name, target))
    }
    const program = ts.createProgram([changed], options, host, earlier)
    earlier = program
    return program.getSemanticDiagnostics(program.getSourceFile(changed)).length > 0
  }
}
