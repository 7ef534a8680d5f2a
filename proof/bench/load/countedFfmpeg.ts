import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describeFfmpeg, findFfmpeg } from '#backend/kernel/media/ffmpeg.ts'

/** Runs of ffmpeg for one purpose. */
export interface Runs {
  readonly count: number
  /** CPU time, user and system, ms. */
  readonly ms: number
}

/** What a run is for, by the arguments that only it has. The first match counts. */
const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/ -version| -encoders/, 'choosing one'],
  [/ -c copy /, 'marks'],
  [/libx264/, 'copy with a watermark'],
  [/-frames:v 1/, 'poster'],
  [/overlay/, 'poster with a watermark'],
]

/** Writes a program that runs the ffmpeg of the installation and notes the CPU time of each run. It takes about 2 ms itself. */
export async function countedFfmpeg(explicitPath: string | undefined, folder: string) {
  const ffmpeg = await findFfmpeg(explicitPath)
  const { version } = await describeFfmpeg(explicitPath)
  const runs = path.join(folder, 'runs')
  mkdirSync(runs, { recursive: true })
  const program = path.join(folder, 'ffmpeg')
  const script = `#!/bin/bash\nTIMEFORMAT='%U %S'\n{ time "${ffmpeg}" "$@" 2>&3; } 3>&2 2>"${runs}/$$"
code=$?\necho "$*" >>"${runs}/$$"\nexit $code\n`
  writeFileSync(program, script, { mode: 0o755 })
  return {
    program,
    version,
    /** Returns the runs so far by purpose. */
    read(): Map<string, Runs> {
      const byPurpose = new Map<string, Runs>()
      for (const name of readdirSync(runs)) {
        const [times = '', args = ''] = readFileSync(path.join(runs, name), 'utf8').split('\n')
        const [user, system] = times.split(' ').map(Number)
        const purpose = PURPOSES.find(([pattern]) => pattern.test(` ${args} `))?.[1] ?? 'other'
        const { count, ms } = byPurpose.get(purpose) ?? { count: 0, ms: 0 }
        byPurpose.set(purpose, { count: count + 1, ms: ms + 1_000 * ((user ?? 0) + (system ?? 0)) })
      }
      return byPurpose
    },
  }
}
