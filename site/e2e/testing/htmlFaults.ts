import { HtmlValidate } from 'html-validate'

const validator = new HtmlValidate({
  root: true,
  extends: ['html-validate:recommended'],
  rules: {
    // React's server output: camelCase attributes, `disabled=""`, `<input/>`, and ids that start with an underscore.
    'attr-case': 'off',
    'attribute-boolean-style': 'off',
    'void-style': 'off',
    'valid-id': ['error', { relaxed: true }],
    // Astro writes a style element before each island.
    'element-permitted-content': 'off',
    // The page of a closed registration hides its `h1` and shows another one, which HTML would count as a second.
    'prefer-native-element': ['error', { exclude: ['heading'] }],
  },
})

/** Returns what html-validate's recommended rules find in a page, as rule, line and message. */
export function htmlFaults(html: string): string[] {
  const { results } = validator.validateStringSync(html)
  return results
    .flatMap(({ messages }) => messages)
    .map(({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`)
}
