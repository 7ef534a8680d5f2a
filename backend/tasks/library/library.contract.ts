import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'
import { cleanLine, MAX_TYPED } from '../../kernel/text/typedText.contract.ts'

/** Videos that one call may name. */
export const SELECTION_MAX = 100
export const FOLDER_NAME_MAX = 60

const Ids = z.array(z.uuid('unknown_task')).check(z.minLength(1, 'required'), z.maxLength(SELECTION_MAX, 'too_many'))
export const FolderName = z
  .string()
  .check(
    z.maxLength(MAX_TYPED, { error: 'folder_name_too_long', abort: true }),
    z.overwrite(cleanLine),
    z.minLength(1, 'required'),
    z.maxLength(FOLDER_NAME_MAX, 'folder_name_too_long'),
  )
export const VideoMark = z.object({ id: z.string(), favourite: z.boolean(), folder: z.nullable(z.string()) })
export type VideoMark = z.infer<typeof VideoMark>

export const listMarks = endpoint('GET /videos/marks', {
  access: 'user',
  answer: z.object({ marks: z.array(VideoMark) }),
  summary: "The user's favourites, and the videos in folders",
})

export const markVideos = endpoint('POST /videos/marks', {
  access: 'user',
  body: z.object({
    ids: Ids,
    favourite: z.optional(z.boolean()),
    /** Null takes the videos out of their folders. A folder exists while it has a video. */
    folder: z.optional(z.nullable(FolderName)),
  }),
  refuses: ['forbidden', 'not_found'],
  status: 204,
  summary: `Makes up to ${SELECTION_MAX} finished videos favourites or not, and moves them to a folder or out of it`,
})

export const archive = endpoint('GET /videos/archive', {
  access: 'user',
  query: z.object({
    /** Task ids, separated by commas. */
    ids: z.pipe(
      z.pipe(
        z.string().check(z.maxLength(37 * SELECTION_MAX, 'too_many')),
        z.transform((text) => text.split(',')),
      ),
      Ids,
    ),
  }),
  file: 'application/zip',
  refuses: ['forbidden', 'not_found'],
  summary: `Up to ${SELECTION_MAX} finished videos as one zip file, with the marks that single downloads have`,
})

export const deleteTasks = endpoint('POST /videos/delete', {
  access: 'user',
  body: z.object({ ids: Ids }),
  answer: z.object({
    deleted: z.array(z.string()),
    /** Videos that stay, with the reason. */
    failed: z.array(z.object({ id: z.string(), code: z.string() })),
  }),
  summary: `Deletes up to ${SELECTION_MAX} videos, each as a single deletion would`,
})
