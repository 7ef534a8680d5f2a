/** Returns the prompt, or a neutral one for a picture that was ordered without any: most engines refuse an empty text. */
export const requiredPrompt = (prompt: string): string => prompt || 'The picture comes to life.'
