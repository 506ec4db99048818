export interface ViewOptions {
  port?: number;
  open?: boolean;
}
