/** All topics, and which of them a word means. */
import { nearest } from '../../apf/suggest.ts'
import { ruleText } from '../../lint/catalogue.ts'
import { RULES } from '../../lint/rules/index.ts'
import { conceptTopics } from './concepts.ts'
import { fieldTopics } from './fields.ts'
import { layerTopics } from './layers.ts'
import { settingTopics } from './settings.ts'
import type { Topic } from './topic.ts'

/** Everything that can be explained, rules last. */
export function allTopics(): Topic[] {
  return [...conceptTopics(), ...fieldTopics(), ...layerTopics(), ...settingTopics(), ...ruleTopics()]
}

function ruleTopics(): Topic[] {
  return RULES.map((rule) => ({
    kind: 'rule',
    name: rule.id,
    aliases: [rule.name],
    summary: rule.summary,
    // The heading is printed from the name.
    text: ruleText(rule).split('\n').slice(2).join('\n').trimEnd(),
    commands: [],
    see: [],
  }))
}

/** The topics that a word means, whatever its case: by name, else by another word for it. Items of lists are left out. */
export function topicsOf(word: string, topics: readonly Topic[]): Topic[] {
  const wanted = normalised(word)
  const byName = topics.filter(({ name }) => normalised(name) === wanted)
  return byName.length > 0
    ? byName
    : topics.filter(({ aliases }) => aliases.some((alias) => normalised(alias) === wanted))
}

/** The word that was probably meant; null where none is near. */
export function nearestTopic(word: string, topics: readonly Topic[]): string | null {
  const words = topics.flatMap(({ name, aliases }) => [name, ...aliases])
  return nearest(word, [...new Set(words)])
}

function normalised(word: string): string {
  return word
    .toLowerCase()
    .replaceAll(/\[\d*\]/g, '')
    .replaceAll(/[ _]/g, '-')
}
