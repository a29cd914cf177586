/// <reference types="vite/client" />

/** Where the files lie that PDF.js loads when a document needs them. */
declare const __PDF_FILES__: string;
