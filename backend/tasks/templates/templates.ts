import { readdir } from 'node:fs/promises'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { sendMedia } from '../../kernel/http/sendMedia.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import { watchFolder } from '../../kernel/watchedFolder.ts'
import { listTemplates, partsOf, type Template, TemplateFile, templateClip } from './templates.contract.ts'

const MOST_SLOTS = 2

/** Parses a template. @throws Error naming what is wrong with the file */
export function parseTemplate(value: unknown): z.infer<typeof TemplateFile> {
  const read = z.safeParse(TemplateFile, value)
  if (!read.success) throw new Error(z.prettifyError(read.error))
  for (const [language, prompt] of Object.entries(read.data.prompt)) {
    const slots = partsOf(prompt).filter(({ slot }) => slot)
    if (slots.length < 1 || slots.length > MOST_SLOTS)
      throw new Error(`prompt.${language} has ${slots.length} slots: write one or two, such as [animal: A red fox]`)
  }
  return read.data
}

interface TemplatesOptions {
  readonly shipped: string
  /** Folder of the operator, whose files add templates or replace those of the same name. */
  readonly own: string
  /** Reads the clips of that folder. */
  readonly clips: Pick<MediaStore, 'size' | 'read'>
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export type Templates = Awaited<ReturnType<typeof openTemplates>>

/** Opens the prompts that people start from, and follows changes of their files. See docs/decisions/0094-templates-and-prompts.md. */
export async function openTemplates({ shipped, own, clips, log }: TemplatesOptions) {
  const files = await watchFolder({ folders: [shipped, own], parse: parseTemplate, log })
  const namesIn = async (folder: string) => new Set(await readdir(folder).catch(() => []))

  const list = async (): Promise<Template[]> => {
    const [ours, theirs] = await Promise.all([namesIn(shipped), namesIn(own)])
    const mediaOf = (id: string) => {
      if (theirs.has(`${id}.mp4`)) return { clip: `/api/v1/videos/templates/${id}/clip`, still: null }
      const isShipped = ours.has(`${id}.json`) && !theirs.has(`${id}.json`)
      return isShipped ? { clip: `/templates/${id}.mp4`, still: `/templates/${id}.avif` } : { clip: null, still: null }
    }
    return [...files.current()]
      .toSorted(([, a], [, b]) => a.order - b.order)
      .map(([id, { title, prompt, camera_movements }]) => ({ id, title, prompt, camera_movements, ...mediaOf(id) }))
  }

  return {
    faults: files.faults,
    close: files.close,
    serve(serve: Serve): void {
      serve(listTemplates, list)
      serve(templateClip, async ({ params: { id }, ctx }) => {
        const isKnown = files.current().has(id)
        await sendMedia(ctx, clips, isKnown ? `${id}.mp4` : 'none', { type: 'video/mp4', cacheControl: 'no-cache' })
        return undefined
      })
    },
  }
}
