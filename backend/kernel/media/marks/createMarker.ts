import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { runFfmpeg } from '../ffmpeg.ts'
import { aigcField, aigcXmp, insertXmp } from './aigcField.ts'
import { readEngineMarks } from './engineMarks.ts'
import { copyManifest, createdManifest, type Manifest } from './manifest.ts'
import type { Signer, SigningJob } from './signInThread.ts'

type MarkOptions = Readonly<{ signal?: AbortSignal | undefined }>

/** Marks files as generated, for machines: with the `AIGC` field of GB 45438-2025 and a signed C2PA manifest. */
export interface Marker {
  /**
   * Marks a video in place, and removes the metadata of the program that made it. Marks of the engine are kept: its
   * manifest as the ingredient of this one, its `AIGC` field as a reserved part of this one.
   */
  markVideo(file: string, taskId: string, options?: MarkOptions): Promise<void>
  /** Marks a JPEG in place. */
  markPoster(file: string, taskId: string): Promise<void>
  /** Marks a copy of a stored video in place. `change` says in English what differs. */
  markCopy(file: string, taskId: string, original: string, change: string, options?: MarkOptions): Promise<void>
}

/** Creates the marker of an installation. `producer` is the name or code of its operator. */
export function createMarker(signer: Signer, producer: string, ffmpegPath: string | undefined): Marker {
  const fieldOf = (taskId: string, engine?: string) => aigcField({ producer, id: taskId, ...(engine && { engine }) })

  const replace = async (file: string, write: (part: string) => Promise<unknown>) => {
    const part = `${file}.marked`
    try {
      await write(part)
      await rename(part, file)
    } finally {
      await rm(part, { force: true })
    }
  }

  const sign = (file: string, format: SigningJob['format'], manifest: Manifest, parent?: string) =>
    replace(file, (target) => signer.sign({ source: file, target, format, manifest, ...(parent && { parent }) }))

  const writeField = (file: string, field: string, { signal }: MarkOptions) =>
    replace(file, (target) => runFfmpeg(fieldArguments(file, field, target), { signal, ffmpegPath }))

  return {
    async markVideo(file, taskId, options = {}) {
      const { hasManifest, field } = await readEngineMarks(file)
      const delivered = `${file}.delivered`
      try {
        if (hasManifest) await copyFile(file, delivered)
        await writeField(file, fieldOf(taskId, field), options)
        if (hasManifest) await sign(file, 'video/mp4', copyManifest(taskId, 'The AIGC field was added.'), delivered)
        else await sign(file, 'video/mp4', createdManifest())
      } finally {
        await rm(delivered, { force: true })
      }
    },

    async markPoster(file, taskId) {
      await writeFile(file, insertXmp(await readFile(file), aigcXmp(fieldOf(taskId))))
      await sign(file, 'image/jpeg', createdManifest())
    },
    async markCopy(file, taskId, original, change, options = {}) {
      await writeField(file, fieldOf(taskId), options)
      await sign(file, 'video/mp4', copyManifest(taskId, change), original)
    },
  }
}

function fieldArguments(file: string, field: string, target: string): string[] {
  return [
    ...['-f', 'mov', '-i', file, '-map', '0:v:0', '-map', '0:a?', '-c', 'copy'],
    ...['-map_metadata', '-1', '-metadata', `AIGC=${field}`],
    ...['-movflags', '+faststart+use_metadata_tags', '-f', 'mp4', target],
  ]
}
