import * as z from 'zod/mini'
import { endpoint, Message } from '../../kernel/http/contract.ts'
import { TIERS } from '../../subscriptions/contract.ts'
import { Generation, uploadImage } from '../../tasks/contract.ts'
import { Email, Language, Token } from '../contracts/fields.contract.ts'
import { User } from '../contracts/user.contract.ts'

const IMAGE_URLS = { first_frame_image_url: true, last_frame_image_url: true, reference_image_urls: true } as const

/** Fields of a video that a visitor has chosen. They are checked when the video is ordered. A visitor sees no price. */
const Choices = z.partial(
  z.omit(Generation, { ...IMAGE_URLS, expected_credits: true, team_id: true, visibility: true }),
)

/** What a visitor wants to do after the sign-in. */
const Draft = z.extend(Choices, {
  /** Token of an uploaded first frame. */
  image: z.optional(Token),
  /** Plan that the visitor chose. */
  plan: z.optional(z.enum(TIERS, 'invalid_plan')),
})
export type Draft = z.infer<typeof Draft>

export const start = endpoint('POST /auth/start', {
  access: 'public',
  body: z.object({ email: Email, language: z._default(Language, 'en'), draft: z.optional(Draft) }),
  answer: Message,
  status: 202,
  refuses: ['too_many_requests', 'registration_closed'],
  summary:
    'Mails a link that signs in, and creates the account if there is none. The draft is sealed and stored with the link ' +
    'for one hour. The answer is the same for every address',
})

export const startImage = endpoint('POST /auth/start/image', {
  access: 'public',
  answer: z.object({ image: z.string() }),
  status: 201,
  upload: uploadImage.upload!,
  fields: uploadImage.fields!,
  refuses: [
    ...['invalid_file_type', 'image_too_small', 'image_too_large', 'image_aspect_ratio', 'image_damaged'],
    ...['upload_running', 'uploads_busy', 'image_timeout', 'too_many_requests', 'registration_closed'],
  ],
  summary: 'Stores a first frame for a draft, sealed and for one hour. Returns a token that the draft names',
})

export const previewStart = endpoint('POST /auth/start/preview', {
  access: 'public',
  body: z.object({ token: Token }),
  answer: z.object({
    /** Address whose account the link opens. */
    email: z.string(),
    prompt: z.string(),
    has_image: z.boolean(),
    plan: z.nullable(z.enum(TIERS)),
    /** Whether this browser asked for the link. */
    same_browser: z.boolean(),
  }),
  refuses: ['token_invalid'],
  summary: 'Returns what a mailed link continues, without using it',
})

export const confirmStart = endpoint('POST /auth/start/confirm', {
  access: 'public',
  body: z.object({ token: Token }),
  answer: z.object({ user: User }),
  refuses: ['unauthenticated', 'token_invalid', 'second_factor_required'],
  summary:
    'Signs in with a mailed link, once: sets the httpOnly session cookies. With a second factor: 401 ' +
    '`second_factor_required` and a ticket',
})

const StoredDraft = z.extend(Choices, {
  /** Id of the draft, and the idempotency key of its video. */
  key: z.string(),
  plan: z.optional(z.enum(TIERS)),
  first_frame_image_url: z.optional(z.string()),
})
export type StoredDraft = z.infer<typeof StoredDraft>

export const readStartDraft = endpoint('POST /auth/start/draft', {
  access: 'user',
  answer: z.object({ draft: z.nullable(StoredDraft) }),
  summary: "Returns the draft of the link that signed the user in, until it is removed; moves its image to the user's",
})

export const removeStartDraft = endpoint('DELETE /auth/start/draft/:key', {
  access: 'user',
  refuses: ['not_found'],
  status: 204,
  summary: 'Removes a draft that has been used or declined',
})
