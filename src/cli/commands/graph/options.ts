export interface GraphOptions {
  format?: 'mermaid' | 'svg';
}
