/** The document of `explain`. */

export interface Explanation {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'Explanation'
  /** The topics that the word means; all of them, without their texts, where no word was given. */
  topics: ExplainedTopic[]
}

export interface ExplainedTopic {
  kind: 'rule' | 'field' | 'concept' | 'layer' | 'setting'
  name: string
  aliases: string[]
  summary: string
  /** Markdown; null in the list of topics. */
  text: string | null
  /** Names of topics near it. */
  see: string[]
}
